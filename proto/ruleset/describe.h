// ruleset/describe.h - conditions as people read them; for explain only. Allocates.
#pragma once

#include <string>

#include "proto/ruleset/view.h"

namespace sluice::ruleset {

/// One test of a program: "DST-PORT 80-90", "DOMAIN-REGEX ^ads". Needs a node of `view`.
[[nodiscard]] std::string describe_node(const View& view, std::uint32_t node);

}  // namespace sluice::ruleset
