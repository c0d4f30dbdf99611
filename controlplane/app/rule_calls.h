// app/rule_calls.h - ListRules and SetRules, and the lines that stay off.
//
//   list   data plane: states of generation g ──┬─ g is that of what runs here ──> report
//   set    lines by name ── switches ───────────┘  else "try again": a change is under way
//
//   the data plane came up, or took a new configuration ──> what is off is switched off again
//
// Owner: ControlPlane. Thread: home.
#pragma once

#include <vector>

#include "controlplane/app/config_flow.h"
#include "controlplane/app/disabled_rules.h"
#include "controlplane/app/plane_link.h"
#include "controlplane/manage/answer.h"
#include "controlplane/manage/reports.h"

namespace sluice::control_plane {

class RuleCalls {
 public:
  /// Both outlive it.
  RuleCalls(const ConfigFlow& config, PlaneLink& plane) : config_(config), plane_(plane) {}

  void list(manage::Reply<manage::RulesReport> reply);
  void set(const std::vector<manage::RuleToggle>& toggles, manage::Reply<void> reply);
  /// The data plane runs what we run, and may have every line on.
  void switch_again();

 private:
  /// What runs here is what the data plane calls by that generation.
  [[nodiscard]] bool is_running(std::uint64_t generation) const;

  const ConfigFlow& config_;
  PlaneLink& plane_;
  DisabledRules disabled_;
};

}  // namespace sluice::control_plane
