// kernel/capture_owner.h - everything the kernel holds for capture, as one thing that is there or
// not.
//
//   desired state = nft table (in the helper) + policy rules and routes + elements of its sets
//
//   apply()      whole desired state, all or nothing: on failure the former one stands; the new
//                rules and routes lie before the former ones go
//   recover()    the helper died, its table is gone: a new helper gets the same state
//   DNS          the redirect alone goes and comes; going also deletes its connections
//   stop()       a clean stop: nothing stays, the fail-closed guard included
//   destruction  table, routes and DNS connections go; a guard stays, as fail-closed demands
//
// Thread: the control thread; calls block for milliseconds (helper_client.h).
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dataplane/helper/commands.h"
#include "dataplane/kernel/helper_client.h"
#include "dataplane/kernel/policy_routes.h"
#include "proto/common/result.h"
#include "proto/common/unique_fd.h"

namespace sluice::kernel {

/// Where helpers come from: the spawner in the product.
class HelperSource {
 public:
  HelperSource() = default;
  HelperSource(const HelperSource&) = delete;
  HelperSource& operator=(const HelperSource&) = delete;
  virtual ~HelperSource() = default;
  /// Errors: as SpawnerHandle::spawn.
  [[nodiscard]] virtual Result<NftHelper> start_nft_helper() = 0;
};

class CaptureOwner {
 public:
  /// `source` outlives this object.
  /// `leftovers`: keys of rules and routes that an earlier run noted, beside those of the defaults.
  CaptureOwner(HelperSource& source, PolicyRoutes routes, std::vector<RouteKeys> leftovers = {})
      : source_(source), routes_(std::move(routes)), leftovers_(std::move(leftovers)) {}
  CaptureOwner(const CaptureOwner&) = delete;
  CaptureOwner& operator=(const CaptureOwner&) = delete;
  ~CaptureOwner();

  /// Brings the kernel to `table`. The first call starts the helper, asks the kernel what it lacks
  /// and removes leftovers of earlier runs. Errors: denied (the kernel refused), closed or timeout
  /// (no helper), system (routes); `why` is one sentence for the log and for Apply's verdict.
  [[nodiscard]] Status apply(const nft::CaptureTable& table, Refusal& why,
                             const RouteNumbers& numbers = {});

  /// Withdraws (`on` false) or restores the redirect of LAN port 53. No effect without capture or
  /// without a DNS hijack. Errors: as apply().
  [[nodiscard]] Status set_dns_redirect(bool on, Refusal& why);

  /// Destinations that pass plainly from now on. Kept, so that recover() restores them.
  /// Overlaps inside `prefixes` and with earlier ones are refused by the kernel. Errors: as
  /// apply().
  [[nodiscard]] Status add_direct(nft::SetId set, std::span<const Prefix> prefixes, Refusal& why);
  [[nodiscard]] Status remove_direct(nft::SetId set, std::span<const Prefix> prefixes,
                                     Refusal& why);

  /// Call when helper_fd() becomes readable, or after a call failed with closed or timeout: starts
  /// a new helper and gives it the desired state. On failure call again later. Errors: as apply().
  [[nodiscard]] Status recover(Refusal& why);

  /// Call when LinkWatch has news: LAN subnets may have changed. Errors: system.
  [[nodiscard]] Status refresh_lan();

  /// Lifts the fail-closed guard, also one that an earlier run left (`sluice capture open`). With
  /// capture running the table stays, unguarded until the next apply(). Errors: as apply().
  [[nodiscard]] Status open_guard(Refusal& why);

  /// A clean stop. Never fails: what cannot be removed by command goes with the helper.
  void stop() noexcept;

  /// For the loop; -1 while no helper runs.
  [[nodiscard]] int helper_fd() const noexcept { return helper_ ? helper_->fd() : -1; }
  /// True while the kernel holds the desired state, and its helper answers.
  [[nodiscard]] bool active() const noexcept { return in_kernel_ && helper_ && !helper_->lost(); }
  [[nodiscard]] const std::optional<nft::CaptureTable>& desired() const noexcept {
    return desired_;
  }
  /// Of the desired state.
  [[nodiscard]] const RouteNumbers& numbers() const noexcept { return numbers_; }

 private:
  Status ensure_helper(Refusal& why);
  Status start_helper(Refusal& why);
  Status claim_table(Refusal& why);
  void clean_routes() noexcept;
  Status lay_routes(const nft::CaptureTable& table, const RouteNumbers& numbers, Refusal& why);
  Status fill_sets(Refusal& why);
  Status push(const nft::CaptureTable& table, Refusal& why);
  void forget_dns(const nft::Marks& marks) noexcept;
  void lose_helper() noexcept;
  void leave() noexcept;
  std::vector<Prefix>& kept(nft::SetId set) noexcept {
    return kept_[set == nft::SetId::prefixes ? 0 : 1];
  }

  HelperSource& source_;
  PolicyRoutes routes_;
  std::optional<HelperClient> helper_;
  std::vector<RouteKeys> leftovers_;
  std::optional<nft::CaptureTable> desired_;
  RouteNumbers numbers_;
  std::array<std::vector<Prefix>, 2> kept_;  // prefixes, addresses
  bool in_kernel_ = false;
  bool cleaned_ = false;       // tables of an earlier run are removed once
  bool routes_clean_ = false;  // and so are its rules and routes
};

}  // namespace sluice::kernel
