// socks/client.h - the client's side of SOCKS5: CONNECT and UDP ASSOCIATE through a proxy.
//
// Thread: the end's worker. Views must outlive the task.
#pragma once

#include <memory>
#include <string_view>

#include "dataplane/protocol/socks/codec.h"
#include "dataplane/transport/end.h"
#include "dataplane/transport/packet_end.h"
#include "proto/runtime/net/open.h"

namespace sluice::socks {

struct ClientOptions {
  std::string_view user;
  std::string_view password;
  [[nodiscard]] bool has_credentials() const noexcept { return !user.empty() || !password.empty(); }
};

/// Opens a tunnel to `to`, its name sent as a name. Bytes that the far side sent behind the reply
/// are put back into `end`.
/// Errors: auth_failed; refused, unreachable, denied, timeout, unsupported with the reply code in
/// `detail`; malformed; those of the end; side upstream.
Task<Status> connect_through(transport::End& end, const Destination& to, ClientOptions options,
                             Until until);

/// Opens an association. `control` becomes part of the packet end; its death ends the association.
/// A relay address of 0.0.0.0, ::, or a name means the server's own address (B068).
/// Errors: as connect_through, and those of transport::connect_udp.
Task<Result<std::unique_ptr<transport::PacketEnd>>> associate_through(
    std::unique_ptr<transport::End> control, ClientOptions options, DatagramBatch& batch,
    DialOptions dial, Until until);

}  // namespace sluice::socks
