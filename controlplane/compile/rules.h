// compile/rules.h - the rule list as shown and as matched: same order, same positions. Each line
// keeps the number that it has in the user's list, where skipped lines count too.
#pragma once

#include <cstddef>
#include <vector>

#include "controlplane/compile/outbounds.h"
#include "controlplane/model/rule.h"
#include "proto/common/result.h"
#include "proto/contract/manifest.h"

namespace sluice::compile {

struct Rules {
  std::vector<contract::RuleLine> lines;
  std::vector<std::byte> block;
};

/// Errors: too_large.
[[nodiscard]] Result<Rules> compile_rules(const std::vector<model::Rule>& rules,
                                          const Outbounds& outbounds);

}  // namespace sluice::compile
