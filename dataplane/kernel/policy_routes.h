// kernel/policy_routes.h - how marked packets become local.
//
//   1023: to <LAN subnet> fwmark 0x200/0xff00 lookup main   (each LAN subnet)
//   1024: fwmark 0x200/0xff00 lookup 100
//   table 100: local default dev lo                         (both families)
//
// The numbers are defaults (RouteNumbers).
//
// The first line undoes `src_valid_mark=1` (tailscale sets it), which looks up the source of a
// marked packet with the mark: the LAN would then be "local" and its packets martian. No other
// sysctl is needed: TPROXY from a LAN device passes strict rp_filter, and redirect goes to the
// device's own address.
//
// A change has two steps, so that captured packets are routed at every moment of it:
//
//   lay()  adds what is missing; the former entries still stand
//     settle()     removes what is no longer wanted
//     take_back()  removes what lay() added: everything is as it was
//
// Thread: the control thread. State is what we installed, so that removal touches nothing else.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dataplane/helper/commands.h"
#include "dataplane/kernel/limits.h"
#include "dataplane/kernel/netlink.h"
#include "proto/common/address.h"
#include "proto/common/result.h"

namespace sluice::kernel {

/// Where our rules and our route stand; the exception for LAN subnets is one above `priority`.
struct RouteNumbers {
  std::uint32_t table = kCaptureRoutingTable;
  std::uint32_t priority = kCaptureRulePriority;
  friend bool operator==(const RouteNumbers&, const RouteNumbers&) = default;
};

/// What an entry of ours can be told by.
struct RouteKeys {
  RouteNumbers numbers;
  nft::Marks marks;
  friend bool operator==(const RouteKeys&, const RouteKeys&) = default;
};

/// One rule (marked packets, to `destination` if any, look up `table`), or the route of `table`.
struct RouteEntry {
  enum class Kind : std::uint8_t { route, rule };
  Kind kind = Kind::rule;
  Family family = Family::v4;
  std::uint32_t table = 0;
  std::uint32_t priority = 0;  ///< rules
  nft::Marks marks;            ///< rules
  Prefix destination;          ///< rules
  friend bool operator==(const RouteEntry&, const RouteEntry&) = default;
};

class PolicyRoutes {
 public:
  /// Errors: system.
  [[nodiscard]] static Result<PolicyRoutes> open();

  /// Adds what `keys` and `lan` need and is not there; on failure nothing has changed. A kernel
  /// without IPv6 gets the IPv4 half. settle() or take_back() follows. Errors: denied, unsupported
  /// (no policy routing in this kernel), system.
  [[nodiscard]] Status lay(const RouteKeys& keys, std::span<const Prefix> lan);
  /// Removes what only the former state needs. Never fails: what is gone already is gone.
  void settle() noexcept;
  /// Removes what only the state that was laid needs. Never fails.
  void take_back() noexcept;

  /// Removes everything of ours. Never fails.
  void remove() noexcept;

  /// Removes what an earlier run with these keys left: only rules that have our priority, marks and
  /// table, and our route.
  void clean_leftovers(const RouteKeys& keys) noexcept;

  [[nodiscard]] NetlinkSocket& socket() noexcept { return socket_; }

 private:
  explicit PolicyRoutes(NetlinkSocket socket) noexcept : socket_(std::move(socket)) {}
  Status lay_family(std::span<const RouteEntry> wanted, Family family);
  Status add(const RouteEntry& entry);
  Status remove(const RouteEntry& entry) noexcept;
  void remove_all(std::vector<RouteEntry>& entries) noexcept;

  NetlinkSocket socket_;
  std::vector<RouteEntry> standing_;  ///< in the kernel, in the order in which they were added
  std::vector<RouteEntry> laid_;      ///< of standing_: added by the last lay()
  std::vector<RouteEntry> stale_;     ///< of standing_: not wanted by the last lay()
};

}  // namespace sluice::kernel
