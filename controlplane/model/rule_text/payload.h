// rule_text/payload.h - the payload of one atom, by its kind.
#pragma once

#include <string_view>
#include <vector>

#include "controlplane/model/condition.h"
#include "controlplane/model/parse_rule.h"
#include "controlplane/model/rule_text/outcome.h"

namespace sluice::model::rule_text {

/// A regex keeps its commas, parentheses and what looks like options behind it.
[[nodiscard]] bool is_regex(AtomKind kind) noexcept;
/// Lists that may be written with commas as well.
[[nodiscard]] bool is_number_list(AtomKind kind) noexcept;

/// `text` is trimmed and not empty. What is worth a warning goes to `notes`, with offset 0; so does
/// the reason of a std::monostate.
[[nodiscard]] Outcome read_payload(AtomKind kind, std::string_view text,
                                   std::vector<RuleNote>& notes);

}  // namespace sluice::model::rule_text
