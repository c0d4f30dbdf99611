// route/needs.h - what rules compare that does not come with a flow: who keeps such facts current
// does so only while they are needed.
#pragma once

#include "proto/ruleset/view.h"

namespace sluice::route {

struct FactNeeds {
  bool source_mac = false;  ///< SRC-MAC
  bool process = false;     ///< PROCESS-*
  bool dscp = false;        ///< DSCP
  friend bool operator==(const FactNeeds&, const FactNeeds&) = default;
};

/// Walks through all conditions: once for each snapshot, which keeps it (Snapshot::needs).
[[nodiscard]] FactNeeds needs_of(const ruleset::View& rules) noexcept;

/// What either needs.
[[nodiscard]] constexpr FactNeeds operator|(const FactNeeds& a, const FactNeeds& b) noexcept {
  return {a.source_mac || b.source_mac, a.process || b.process, a.dscp || b.dscp};
}

}  // namespace sluice::route
