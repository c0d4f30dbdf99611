// kernel/lan_addresses.h - the subnets of LAN devices, and news when they change.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "dataplane/kernel/netlink.h"
#include "proto/common/address.h"
#include "proto/common/result.h"

namespace sluice::kernel {

/// The subnets on these devices, without doubles; absent devices have none. Link-local IPv6
/// prefixes are left out: they are the same on every device and never routed. `route` is a
/// NETLINK_ROUTE socket. Errors: system.
[[nodiscard]] Result<std::vector<Prefix>> lan_subnets(NetlinkSocket& route,
                                                      std::span<const std::string> devices);

/// News of links and addresses as a descriptor for the loop.
class LinkWatch {
 public:
  /// Errors: system.
  [[nodiscard]] static Result<LinkWatch> open();

  [[nodiscard]] int fd() const noexcept;
  /// Reads all news. True when a link or an address changed, or news were lost: read the state
  /// anew.
  [[nodiscard]] bool drain();

 private:
  explicit LinkWatch(NetlinkSocket socket) noexcept : socket_(std::move(socket)) {}
  NetlinkSocket socket_;
};

}  // namespace sluice::kernel
