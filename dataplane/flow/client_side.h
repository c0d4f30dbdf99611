// flow/client_side.h - how datagrams get back to a client: a TPROXY socket, a SOCKS association …
//
// Owner: whoever receives the client's datagrams; it must tell Nat::forget() before it dies.
// Thread: the worker's.
#pragma once

#include <span>

#include "proto/runtime/net/datagram_batch.h"

namespace sluice::flow {

struct Request;

class ClientSide {
 public:
  /// Asked for each new destination of a client, with the request as it goes to the rules; may fill
  /// in what its listener says. False: the client is not served.
  virtual bool admit(Request&) { return true; }
  /// Sends to `client`; each packet's `from` is whom the client believes it hears. Drops what does
  /// not fit. Views are valid during the call.
  virtual void reply(const Endpoint& client, std::span<Packet> packets) noexcept = 0;

 protected:
  ~ClientSide() = default;
};

}  // namespace sluice::flow
