// flow/client_side.h - how datagrams get back to a client: a TPROXY socket, a SOCKS association …
//
// Owner: whoever receives the client's datagrams; it must tell Nat::forget() before it dies.
// Thread: the worker's.
#pragma once

#include <span>

#include "dataplane/flow/endpoint_index.h"
#include "proto/runtime/net/datagram_batch.h"
#include "proto/runtime/net/error_queue.h"

namespace sluice::flow {

class Association;
struct ClientOf;
struct Request;

class ClientSide {
 public:
  ClientSide() noexcept = default;
  ClientSide(const ClientSide&) = delete;
  ClientSide& operator=(const ClientSide&) = delete;

  /// Asked for each new destination of a client, with the request as it goes to the rules; may fill
  /// in what its listener says. False: the client is not served.
  virtual bool admit(Request&) { return true; }
  /// Sends to `client`; each packet's `from` is whom the client believes it hears. Drops what does
  /// not fit. Views are valid during the call.
  virtual void reply(const Endpoint& client, std::span<Packet> packets) noexcept = 0;
  /// What `client` sent to `to`, as it sees it, did not arrive. Most protocols have no word for it.
  virtual void unreachable(const Endpoint& client, const Endpoint& to, Unreachable why) noexcept {
    (void)client, (void)to, (void)why;
  }
  /// Of its clients, by their endpoints. The NAT's alone.
  [[nodiscard]] EndpointIndex<Association, ClientOf>& mappings() noexcept { return mappings_; }

 protected:
  ~ClientSide() = default;

 private:
  EndpointIndex<Association, ClientOf> mappings_;
};

}  // namespace sluice::flow
