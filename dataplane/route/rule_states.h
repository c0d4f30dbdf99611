// route/rule_states.h - the lines of a snapshot as users look at them and switch them.
//
// Thread: any for reading; switching on the thread that calls build_snapshot().
#pragma once

#include <optional>

#include "dataplane/route/snapshot.h"
#include "proto/contract/rules.h"

namespace sluice::route {

/// Hits, misses, last hit and switch of every line. While workers decide, sums are as of about now.
[[nodiscard]] contract::RuleStates rule_states(const Snapshot& snapshot);

/// All of them or, with the reason, none: another generation, a line that does not exist.
[[nodiscard]] std::optional<Refusal> switch_rules(const Snapshot& snapshot,
                                                  const contract::RuleSwitches& switches);

}  // namespace sluice::route
