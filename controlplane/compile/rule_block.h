// compile/rule_block.h - the rules as a block: lines numbered as in rule_lines.h.
//
//   rules              block
//   DOMAIN,…           line 0
//   SUB-RULE,(g),s     line 1, a group      place(3, g AND …)         s[0]
//                        line 4, a group    place(5, g AND h AND …)   t[0], since s[1] is
//   MATCH,…            line 2                                         SUB-RULE,(h),t
//   a way to t alone   entry 1              place(5, …)
//   lists of sniffer   entry 2 …            place(6, any of its entries), see sniff_lists.h
//
// Thread: any; pure but for `inputs`.
#pragma once

#include <cstddef>
#include <vector>

#include "controlplane/compile/inputs.h"
#include "controlplane/compile/slow_pattern.h"
#include "controlplane/model/config.h"
#include "proto/common/result.h"
#include "proto/ruleset/left_out.h"

namespace sluice::compile {

struct RuleBlock {
  std::vector<std::byte> bytes;
  ruleset::LeftOut left_out;  ///< entries of sets beyond the bounds of a block
  std::vector<SlowPattern> slow_patterns;
};

/// Errors: too_large, malformed (more than the bounds of the block hold).
[[nodiscard]] Result<RuleBlock> make_block(const model::Config& config, const Inputs& inputs);

}  // namespace sluice::compile
