// capture/listener_sockets.h - the sockets of one listener: one per worker, opened all at once.
//
// Bound first, opened to clients later: a port that does not bind refuses the whole manifest before
// anything changed, and no client is accepted before the first decision would be right. The group
// is opened at its final size and never resized, so that the kernel's reuseport hash is stable.
//
// Owner: the descriptor table of dataplane/app; workers get duplicates. Thread: control.
#pragma once

#include <string>
#include <vector>

#include "proto/common/address.h"
#include "proto/common/result.h"
#include "proto/common/unique_fd.h"
#include "proto/contract/manifest.h"

namespace sluice::capture {

struct ListenerSockets {
  Endpoint at;
  std::vector<UniqueFd> tcp;  ///< one per worker
  std::vector<UniqueFd> udp;  ///< one per worker for tproxy, else empty
};

/// `shared`: we hold this port ourselves already (a listener that is replaced), so a group may form
/// with our own sockets. Otherwise a port held by anybody is refused, also when it is held with
/// SO_REUSEPORT. Errors: exists, denied, unreachable (address not here), system.
[[nodiscard]] Result<ListenerSockets> bind_listener(const contract::Listener& listener,
                                                    unsigned workers, bool shared);
/// Errors: exists, system.
[[nodiscard]] Status open_listener(const ListenerSockets& sockets);

/// The listening socket `fd` lets nobody in any more, but serves whom it has met: their handshakes
/// end and they can be accepted. For a socket that is about to close. Errors: system.
[[nodiscard]] Status ignore_new_clients(int fd) noexcept;

/// The capture's own wildcard sockets, on ports that the kernel chooses.
struct CaptureSockets {
  std::vector<UniqueFd> tproxy_tcp;  ///< one per worker, one port
  std::vector<UniqueFd> tproxy_udp;  ///< one per worker, each with a port of its own
  std::vector<UniqueFd> redirect;    ///< one per worker, one port
  std::uint16_t tproxy_tcp_port = 0;
  std::vector<std::uint16_t> tproxy_udp_ports;
  std::uint16_t redirect_port = 0;
};

/// Opened at once: the owned table's input chain drops whatever was not captured. Errors: denied
/// (no CAP_NET_ADMIN), system.
[[nodiscard]] Result<CaptureSockets> open_capture_sockets(contract::CaptureMode mode,
                                                          unsigned workers);

}  // namespace sluice::capture
