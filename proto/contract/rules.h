// contract/rules.h - what became of the rule lines: how often each decided, which are switched off.
//
//   line  0 a   hits 5   misses 9        misses: decisions of the same list that ended below the
//         1 b        2          7        line, those that no line took included; so hits + misses
//         2 c        4          3        is how often a line of the list proper was come past
//   unmatched 3
//
// Counts and switches outlive an Apply for every line that the new manifest still has: same list,
// type, payload and name of the target, and the n-th of those stays the n-th.
#pragma once

#include <cstdint>
#include <vector>

namespace sluice::contract {

struct RuleState {
  std::uint32_t hits = 0;        ///< flows that it decided; wraps at 2^32
  std::uint64_t misses = 0;      ///< decisions of its list that ended below it
  std::uint32_t last_hit_s = 0;  ///< wall clock, seconds since 1970; 0 = never
  bool disabled = false;         ///< counts as not matched
  friend bool operator==(const RuleState&, const RuleState&) = default;
};

struct RuleStates {
  std::uint64_t generation = 0;
  std::vector<RuleState> lines;  ///< as Manifest::rules of that generation
  std::uint64_t unmatched = 0;   ///< decisions of the list proper that no line took
  friend bool operator==(const RuleStates&, const RuleStates&) = default;
};

struct RuleSwitch {
  std::uint32_t index = 0;  ///< of Manifest::rules
  bool disabled = false;
  friend bool operator==(const RuleSwitch&, const RuleSwitch&) = default;
};

/// All or nothing.
struct RuleSwitches {
  std::uint64_t generation = 0;  ///< whose lines are meant
  std::vector<RuleSwitch> lines;
  friend bool operator==(const RuleSwitches&, const RuleSwitches&) = default;
};

}  // namespace sluice::contract
