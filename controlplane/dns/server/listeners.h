// dns/server/listeners.h - the sockets that clients ask, and which of them stay over a reload.
//
//   dns.listen          one UDP and one TCP socket on the same port
//   hijack, per device  one UDP and one TCP socket, wildcard address, ports the kernel chooses,
//                       bound to the device; the ports travel in the manifest
//
// Owner: Dns. Thread: the DNS loop's.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "controlplane/dns/server/tcp_port.h"
#include "controlplane/dns/server/udp_port.h"
#include "proto/common/address.h"
#include "proto/contract/manifest.h"
#include "proto/runtime/net/open.h"

namespace sluice::dns {

/// A socket that could not be opened; the others work.
struct ListenProblem {
  std::string device;  ///< empty: dns.listen
  Endpoint at;
  Transport transport = Transport::udp;
  Error error;
};

class Listeners {
 public:
  Listeners(Loop& loop, Responder& responder) : loop_(loop), responder_(responder) {}

  /// Opens what is new, closes what is gone, keeps the rest. Devices that could not be opened are
  /// tried again by the next call.
  [[nodiscard]] std::vector<ListenProblem> apply(const std::optional<Endpoint>& listen,
                                                 const std::vector<std::string>& devices);
  /// Of the devices whose sockets are open.
  [[nodiscard]] std::vector<contract::DnsPort> hijack_ports() const;
  /// Where dns.listen stands, with the port that the kernel chose for 0.
  [[nodiscard]] std::optional<Endpoint> listen_address() const;
  /// Every local address that answers.
  [[nodiscard]] std::vector<Endpoint> all() const;

 private:
  struct Pair {
    std::string device;
    Endpoint wanted;
    std::shared_ptr<UdpPort> udp;
    std::unique_ptr<TcpPort> tcp;
  };
  std::optional<ListenProblem> open(Pair& pair);
  Status open_at(Pair& pair, const Endpoint& at, const ListenOptions& options,
                 Transport& failed) const;

  Loop& loop_;
  Responder& responder_;
  mutable UdpScratch scratch_;
  std::vector<Pair> pairs_;
};

}  // namespace sluice::dns
