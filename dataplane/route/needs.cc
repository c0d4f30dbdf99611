#include "dataplane/route/needs.h"

#include <algorithm>
#include <array>

namespace sluice::route {
namespace {

using ruleset::Index;
using ruleset::Op;

constexpr std::array kProcessOps{Op::process_name,          Op::process_path,
                                 Op::process_name_wildcard, Op::process_path_wildcard,
                                 Op::process_name_regex,    Op::process_path_regex};

constexpr std::uint32_t kNames =
    1U << static_cast<unsigned>(Index::names) | 1U << static_cast<unsigned>(Index::keywords);

/// Whether a node of a condition compares names, or may do so by an entry of its set.
bool sees_names(const ruleset::View& rules, const ruleset::Node& node) noexcept {
  if (node.op >= Op::domain && node.op <= Op::domain_regex) return true;
  if (node.op != Op::set) return false;
  const ruleset::SetEntries set = rules.set(node.arg);
  return (set.kinds & kNames) != 0 || set.first != set.end;
}

/// Of the positions below `end`.
bool compares_names(const ruleset::View& rules, std::uint32_t end) noexcept {
  bool found = rules.first_ref(Index::names) < end || rules.first_ref(Index::keywords) < end;
  for (std::uint32_t position = 0; position < end && !found; ++position)
    rules.programs().each_node(
        position, [&](const ruleset::Node& node) { found = found || sees_names(rules, node); });
  return found;
}

/// As a key of its own, or inside a condition that something else leads to.
bool compares(const ruleset::View& rules, Index index, Op op) noexcept {
  return (rules.present() >> static_cast<unsigned>(index) & 1U) != 0 || rules.programs().uses(op);
}

}  // namespace

FactNeeds needs_of(const ruleset::View& rules, std::uint32_t end) noexcept {
  FactNeeds out;
  out.source_mac = compares(rules, Index::source_mac, Op::source_mac);
  out.dscp = compares(rules, Index::dscp, Op::dscp);
  out.process = std::ranges::any_of(kProcessOps, [&](Op op) { return rules.programs().uses(op); });
  out.host = compares_names(rules, end);
  return out;
}

}  // namespace sluice::route
