// net/open.h - opening sockets with the options this product uses; plain descriptors, no loop.
#pragma once

#include <cstdint>
#include <string>

#include "proto/common/address.h"
#include "proto/common/result.h"
#include "proto/common/unique_fd.h"

namespace sluice {

struct ListenOptions {
  bool reuse_port = false;
  bool transparent = false;   ///< IP_TRANSPARENT and IPV6_TRANSPARENT
  bool dual_stack = false;    ///< v6 wildcard takes v4 too
  bool original_dst = false;  ///< UDP: cmsg with the destination (IP_RECVORIGDSTADDR)
  bool packet_info = false;   ///< UDP: cmsg with the local address (IP_PKTINFO)
  std::uint32_t mark = 0;
  std::string device;  ///< SO_BINDTODEVICE
};

/// Non-blocking, close-on-exec, SO_REUSEADDR; bound but closed to clients until start_listening().
/// Clients that are accepted send without delay: they inherit TCP_NODELAY.
/// Errors: exists (port in use), denied, system.
[[nodiscard]] Result<UniqueFd> bind_tcp(const Endpoint& at, const ListenOptions& options = {});
[[nodiscard]] Status start_listening(int fd) noexcept;
/// Both at once.
[[nodiscard]] Result<UniqueFd> listen_tcp(const Endpoint& at, const ListenOptions& options = {});
[[nodiscard]] Result<UniqueFd> bind_udp(const Endpoint& at, const ListenOptions& options = {});
/// A UDP socket that answers in the name of `source`, for replies to TPROXY'd clients.
[[nodiscard]] Result<UniqueFd> bind_transparent_reply(const Endpoint& source, std::uint32_t mark);

/// A raw socket that sends ICMP of the family from any address (send_batch with a source) and
/// receives nothing. Errors: denied (no CAP_NET_RAW), no_descriptors, system.
[[nodiscard]] Result<UniqueFd> open_icmp_sender(Family family, std::uint32_t mark);

struct DialOptions {
  std::uint32_t mark = 0;
  std::string_view device;
};

/// How a silent peer is asked whether it still lives (RFC 9293 section 3.8.4).
struct KeepAlive {
  bool on = true;
  std::uint32_t idle_s = 0;      ///< silence before the first question; 0 = the kernel's
  std::uint32_t interval_s = 0;  ///< between two of them; 0 = the kernel's
};

/// A TCP socket whose connect(2) has been started (EINPROGRESS is success); sends without delay.
/// Errors: as connect.
[[nodiscard]] Result<UniqueFd> start_connect(const Endpoint& to, const DialOptions& options);
/// A UDP socket of the family (v6 ones take v4-mapped too when `family` is none), options applied.
[[nodiscard]] Result<UniqueFd> open_udp(Family family, const DialOptions& options);
/// Gives the descriptor of a UDP flow back when few are left, and says so once in a while: these
/// flows end by their timeout only, so they must not take what TCP, DNS and the contract live on.
/// Errors: no_descriptors.
[[nodiscard]] Result<UniqueFd> unless_scarce(UniqueFd fd) noexcept;
/// For a connected TCP socket; up to three system calls.
void set_keep_alive(int fd, const KeepAlive& options) noexcept;
/// accept4 with non-blocking and close-on-exec. Errors: again, no_descriptors, reset, system.
[[nodiscard]] Result<UniqueFd> accept_one(int listener, Endpoint& peer) noexcept;
/// The upper six bits of a TOS or traffic class byte (RFC 2474 section 3).
[[nodiscard]] constexpr std::uint8_t dscp_of(int traffic_class) noexcept {
  return static_cast<std::uint8_t>(static_cast<unsigned>(traffic_class) >> 2U & 0x3fU);
}
/// UDP: whether each datagram brings a cmsg with its DSCP (IP_RECVTOS, IPV6_RECVTCLASS), from the
/// next one on. Errors: system.
[[nodiscard]] Status ask_for_dscp(int fd, bool on) noexcept;
/// SO_ORIGINAL_DST for a redirected connection; getsockname for a TPROXY'd one.
[[nodiscard]] Result<Endpoint> redirected_destination(int fd) noexcept;

}  // namespace sluice
