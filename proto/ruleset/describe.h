// ruleset/describe.h - conditions as people read them, for explain and warnings. Allocates.
#pragma once

#include <cstdint>
#include <string>

#include "proto/ruleset/condition.h"
#include "proto/ruleset/view.h"

namespace sluice::ruleset {

/// One test of a program: "DST-PORT 80-90", "DOMAIN-REGEX ^ads". Needs a node of `view`.
[[nodiscard]] std::string describe_node(const View& view, std::uint32_t node);

/// Of a TIME test, where its hours are measured: "it is Mon 22:10 there, UTC+02:00"; empty for
/// other tests.
[[nodiscard]] std::string describe_clock(const View& view, std::uint32_t node,
                                         std::int64_t utc_seconds);

/// A condition that no block holds yet, shortened: "DOMAIN-REGEX ^ads", "AND of 3".
[[nodiscard]] std::string describe_condition(const Condition& condition);

}  // namespace sluice::ruleset
