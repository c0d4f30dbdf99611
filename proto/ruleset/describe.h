// ruleset/describe.h - conditions as people read them, for explain and warnings. Allocates.
#pragma once

#include <string>

#include "proto/ruleset/condition.h"
#include "proto/ruleset/view.h"

namespace sluice::ruleset {

/// One test of a program: "DST-PORT 80-90", "DOMAIN-REGEX ^ads". Needs a node of `view`.
[[nodiscard]] std::string describe_node(const View& view, std::uint32_t node);

/// A condition that no block holds yet, shortened: "DOMAIN-REGEX ^ads", "AND of 3".
[[nodiscard]] std::string describe_condition(const Condition& condition);

}  // namespace sluice::ruleset
