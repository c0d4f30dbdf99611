// route/needs.h - what rules compare that does not come with a flow: who keeps such facts current
// does so only while they are needed.
#pragma once

#include "proto/ruleset/view.h"

namespace sluice::route {

struct FactNeeds {
  bool source_mac = false;  ///< SRC-MAC
  bool process = false;     ///< PROCESS-*
  bool dscp = false;        ///< DSCP
  bool host = false;        ///< DOMAIN-* and sets of names: a sniffed host might matter
  friend bool operator==(const FactNeeds&, const FactNeeds&) = default;
};

/// Walks through all conditions: once for each snapshot, which keeps it (Snapshot::needs). `end`:
/// of the positions that are rules; names behind them are those of the sniffer's lists.
[[nodiscard]] FactNeeds needs_of(const ruleset::View& rules, std::uint32_t end) noexcept;

/// What either needs.
[[nodiscard]] constexpr FactNeeds operator|(const FactNeeds& a, const FactNeeds& b) noexcept {
  return {a.source_mac || b.source_mac, a.process || b.process, a.dscp || b.dscp, a.host || b.host};
}

}  // namespace sluice::route
