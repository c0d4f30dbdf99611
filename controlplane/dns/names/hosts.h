// dns/names/hosts.h - names that need no server: the map `hosts:`, and localhost, which is loopback
// unless the map says otherwise.
//
// Immutable; a reload makes a new one. Thread: the DNS loop's.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "controlplane/dns/names/name_patterns.h"
#include "controlplane/model/general.h"
#include "proto/common/address.h"
#include "proto/common/result.h"

namespace sluice::dns {

class Hosts {
 public:
  Hosts() = default;
  explicit Hosts(std::vector<model::Host> lines);

  struct Found {
    std::string name;                  ///< where the chain of aliases ended
    std::vector<std::string> aliases;  ///< the names passed on the way, the asked one not included
    bool listed = false;  ///< `name` has a line, or is localhost: `addresses` is the whole truth
    std::vector<IpAddress> addresses;
  };
  /// Follows aliases from `name` (normal form). Of a name that is not listed: {name, {}, false,
  /// {}}. Errors: loop (more than kAliasHops aliases).
  [[nodiscard]] Result<Found> find(std::string_view name) const;
  /// The first exact line that holds `address`; empty when there is none.
  [[nodiscard]] std::string_view name_of(const IpAddress& address) const noexcept;
  [[nodiscard]] bool empty() const noexcept { return lines_.empty(); }

 private:
  std::vector<model::Host> lines_;
  NamePatterns patterns_;  // value: index into lines_
  std::unordered_map<IpAddress, std::uint32_t, IpAddressHash> by_address_;
};

}  // namespace sluice::dns
