// cli/show_rules.h - rule lines, rule providers and their refreshes as text and as JSON (show.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "ui/cli/line_name.h"
#include "ui/cli/show.h"

namespace sluice::cli {

/// How `--list` names `rules` itself.
inline constexpr const char* kListProper = "rules";

// What is left of a table.
/// Only one list: kListProper, or a sub-rule list. False when the table has no line of it.
[[nodiscard]] bool keep_list(pb::RuleTable& table, const std::string& list);
/// The `count` lines that decided most, most first; none that decided nothing.
void keep_top(pb::RuleTable& table, std::size_t count);
void keep_unused(pb::RuleTable& table);

/// {rules[{index, list, type, payload, proxy, place, extra{disabled, hitCount, hitAt, missCount,
/// missAt}}], unmatched, since, changedAt}; moments are empty when there was none.
[[nodiscard]] std::string rules_json(const pb::RuleTable& table);
/// A table; with `hits` also what the lines decided. Empty without lines.
[[nodiscard]] std::string rules_text(const pb::RuleTable& table, bool hits, const Screen& screen);
/// "12 lines, 2 of them disabled; 7 flows met none of them in 3d04h"
[[nodiscard]] std::string rules_summary(const pb::RuleTable& table, const Screen& screen);
/// "3 of 12 lines decided no flow in 3d04h"; `all` is what keep_unused() was given.
[[nodiscard]] std::string unused_summary(const pb::RuleTable& unused, std::size_t all,
                                         const Screen& screen);

/// {rules[{index, list, disabled}]}
[[nodiscard]] std::string switched_json(const std::vector<LineName>& lines, bool disabled);
/// "12 and ads/3 are disabled"
[[nodiscard]] std::string switched_text(const std::vector<LineName>& lines, bool disabled);

/// {providers{NAME{name, type, vehicleType, behavior, format, ruleCount, updatedAt, checkedAt,
/// nextAt, inForce, refused, refreshing, fault, digest}}}
[[nodiscard]] std::string providers_json(const pb::RuleProviderTable& table);
/// A table, and below it why refreshes failed.
[[nodiscard]] std::string providers_text(const pb::RuleProviderTable& table, const Screen& screen);

}  // namespace sluice::cli
