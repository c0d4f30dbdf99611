// wire/rules.h - states and switches of rule lines.
#pragma once

#include <vector>

#include "proto/contract/rules.h"
#include "proto/wire/refusal.h"
#include "sluice/v1/dataplane.pb.h"

namespace sluice::wire {

/// Pages below kMaxMessage each; one at least.
[[nodiscard]] std::vector<v1::RulePage> encode_pages(const contract::RuleStates& in);
/// Puts a page behind those before it: generations agree, lines follow each other.
[[nodiscard]] Decoded<contract::RuleStates> decode(const v1::RulePage& in,
                                                   contract::RuleStates before);

void encode(const contract::RuleSwitches& in, v1::SetRulesRequest* out);
[[nodiscard]] Decoded<contract::RuleSwitches> decode(const v1::SetRulesRequest& in);

}  // namespace sluice::wire
