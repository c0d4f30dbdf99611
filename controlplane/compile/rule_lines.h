// compile/rule_lines.h - the lines as shown and numbered: those of `rules`, then those of each
// sub-rule list that is used.
//
//   rules: [DOMAIN,…   SUB-RULE,(…),s   MATCH,…]     s: [DST-PORT,…   DOMAIN,…]
//             0           1                2                3            4
//
// A line keeps the place that it has in its own list, where skipped lines count too.
#pragma once

#include <cstdint>
#include <vector>

#include "controlplane/compile/outbounds.h"
#include "controlplane/model/config.h"
#include "proto/contract/manifest.h"

namespace sluice::compile {

/// A used sub-rule list and the number of its first line.
struct NumberedList {
  const model::SubRules* list = nullptr;
  std::uint32_t first = 0;
};
/// In file order. They point into `config`.
[[nodiscard]] std::vector<NumberedList> numbered_lists(const model::Config& config);

/// The target of a SUB-RULE line is its list; as an outbound it has PASS.
[[nodiscard]] std::vector<contract::RuleLine> rule_lines(const model::Config& config,
                                                         const Outbounds& outbounds);

}  // namespace sluice::compile
