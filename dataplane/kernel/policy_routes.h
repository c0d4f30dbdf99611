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

class PolicyRoutes {
 public:
  /// Errors: system.
  [[nodiscard]] static Result<PolicyRoutes> open(const RouteNumbers& numbers = {});

  /// Brings rules and routes to `marks` and `lan`; all or nothing: on failure the former state is
  /// restored. A kernel without IPv6 gets the IPv4 half. Errors: denied, unsupported (no policy
  /// routing in this kernel), system.
  [[nodiscard]] Status install(const nft::Marks& marks, std::span<const Prefix> lan);

  /// Removes what install() made. Never fails: what is gone already is gone.
  void remove() noexcept;

  /// Removes what an earlier run with these marks left: only rules that have our priority, marks
  /// and table, and our route.
  void clean_leftovers(const nft::Marks& marks) noexcept;

  [[nodiscard]] NetlinkSocket& socket() noexcept { return socket_; }

 private:
  struct State {
    bool installed = false;
    nft::Marks marks;
    std::vector<Prefix> lan;
  };
  PolicyRoutes(NetlinkSocket socket, const RouteNumbers& numbers) noexcept
      : socket_(std::move(socket)), numbers_(numbers) {}
  Status add(const State& state);
  Status add_family(const State& state, Family family);
  void remove_all(const nft::Marks& marks) noexcept;

  NetlinkSocket socket_;
  RouteNumbers numbers_;
  State state_;
};

}  // namespace sluice::kernel
