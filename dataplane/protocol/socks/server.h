// socks/server.h - the server's side of a SOCKS4, 4a or 5 handshake.
//
//   client                         here
//   05 methods            ->       (04 ...: SOCKS4, straight to the request)
//                         <-       05 method
//   [01 user password]    ->       [01 status]
//   05 command address    ->       accept_socks() ends here; the flow is decided and connected
//                         <-       send_reply(): 05 code bound
//
// Bytes that the client sent behind its request stay in `in`: they are the tunnel's.
// Thread: the end's worker.
#pragma once

#include <string>

#include "dataplane/protocol/credentials.h"
#include "dataplane/protocol/socks/codec.h"
#include "dataplane/transport/end.h"

namespace sluice::socks {

struct ServerOptions {
  Credentials credentials;
  /// dial.sock: any name is taken and reported, since it picks the outbound; so is none.
  bool any_user = false;
  bool udp = true;      ///< UDP ASSOCIATE
  bool framed = false;  ///< Command::framed_datagrams
  /// Nobody can be served yet: as if no user were the right one. Clients of SOCKS5 read that no
  /// method will do, before they have said what they wish.
  bool closed = false;
};

struct ServerRequest {
  Version version = Version::socks5;
  Command command = Command::connect;
  /// CONNECT: where to. UDP ASSOCIATE: what the client believes its source will be; often
  /// 0.0.0.0:0.
  Destination to;
  std::string user;  ///< checked, or taken as it is with `any_user`; else empty
};

/// Reads the handshake up to the request. What the protocol can say about a failure has been sent
/// when it fails: the caller closes. `options` and what it views must outlive the task.
/// Errors: auth_failed, unsupported (version, command, address type), malformed, too_large, and
/// those of transport::fill; side client.
Task<Result<ServerRequest>> accept_socks(transport::End& end, SliceQueue& in,
                                         const ServerOptions& options, Until until);

/// Answers the request: code none means success. `bound` is reported to SOCKS5 clients; for UDP
/// ASSOCIATE it must be an address the client can reach (B067). After a failure the caller closes.
Task<Status> send_reply(transport::End& end, Version version, Error outcome, Endpoint bound,
                        Until until);

}  // namespace sluice::socks
