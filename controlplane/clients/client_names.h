// clients/client_names.h - host name and hardware address of a client, for whoever is shown it.
//
// The sources are read again when something is shown, at most every kFresh; a leases file that did
// not change is not read. Nobody waits for them elsewhere: flows do not depend on names.
//
// Owner: ControlPlane. Thread: home.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "controlplane/clients/leases.h"
#include "controlplane/clients/neighbours.h"
#include "proto/common/address.h"
#include "proto/common/clock.h"

namespace sluice::clients {

struct Client {
  std::string name;  ///< empty: it has none that is known
  std::string mac;   ///< "02:00:5e:10:00:01"; empty: not known
};

class ClientNames {
 public:
  static constexpr Millis kFresh{2'000};
  using ReadNeighbours = std::function<Result<Neighbours>()>;

  /// Empty: the usual places.
  void set_leases(std::string file);
  void set_reader(ReadNeighbours read) { read_neighbours_ = std::move(read); }
  [[nodiscard]] std::size_t lease_count() const noexcept { return leases_.size(); }
  /// A DHCPv6 lease knows no hardware address, and a device that made its own address has no lease:
  /// an address without a name has that of another one with the same hardware address.
  [[nodiscard]] Client of(const IpAddress& ip, Moment now);

 private:
  void refresh(Moment now);
  void read_leases();

  struct Stamp {
    std::int64_t changed_ns = 0;
    std::int64_t size = -1;
    friend bool operator==(const Stamp&, const Stamp&) = default;
  };
  std::vector<std::string> files_{"/tmp/dhcp.leases", "/var/lib/misc/dnsmasq.leases"};
  ReadNeighbours read_neighbours_ = &read_neighbours;
  Moment fresh_until_{};
  std::string read_file_;  ///< the one that `stamp_` is of
  Stamp stamp_;
  std::unordered_map<IpAddress, Lease, IpAddressHash> leases_;
  std::unordered_map<std::uint64_t, std::string> names_;  ///< by hardware address
  Neighbours neighbours_;
};

}  // namespace sluice::clients
