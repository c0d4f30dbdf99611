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

/// As a key of its own, or inside a condition that something else leads to.
bool compares(const ruleset::View& rules, Index index, Op op) noexcept {
  return (rules.present() >> static_cast<unsigned>(index) & 1U) != 0 || rules.programs().uses(op);
}

}  // namespace

FactNeeds needs_of(const ruleset::View& rules) noexcept {
  FactNeeds out;
  out.source_mac = compares(rules, Index::source_mac, Op::source_mac);
  out.dscp = compares(rules, Index::dscp, Op::dscp);
  out.process = std::ranges::any_of(kProcessOps, [&](Op op) { return rules.programs().uses(op); });
  return out;
}

}  // namespace sluice::route
