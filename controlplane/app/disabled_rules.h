// app/disabled_rules.h - which lines the user switched off, whatever their numbers become.
//
// A line is known by what it is: list, type, payload and name of the target, and of equal ones the
// n-th is the n-th (as contract/rules.h has it). So it is found again after a reload, and a line
// that goes and comes back is still off. In memory only: they end with the process. Plain state.
#pragma once

#include <span>
#include <string>
#include <unordered_set>
#include <vector>

#include "proto/contract/manifest.h"
#include "proto/contract/rules.h"

namespace sluice::control_plane {

class DisabledRules {
 public:
  /// `switches` are of the lines of `manifest` and exist.
  void note(const contract::Manifest& manifest, std::span<const contract::RuleSwitch> switches);
  /// What switches off those of them that `manifest` has, by ascending index.
  [[nodiscard]] std::vector<contract::RuleSwitch> switches(
      const contract::Manifest& manifest) const;

 private:
  std::unordered_set<std::string> off_;  ///< keys of lines
};

}  // namespace sluice::control_plane
