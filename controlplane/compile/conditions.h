// compile/conditions.h - conditions of the model as conditions of one block, with the sets and time
// zones that they name.
//
//   RULE-SET,ads      in_set(0)                          each set once, where it is named first
//   a filter list     NOT in_set(3) AND (in_set(2) OR in_set(0) AND NOT in_set(1))
//                     (0 listed, 1 excepted, 2 and 3 the same of entries that are marked firm)
//   GEOIP,!cn         has an address AND NOT in_set(4)
//
// Thread: one owner.
#pragma once

#include <map>
#include <vector>

#include "controlplane/compile/inputs.h"
#include "controlplane/compile/read_set.h"
#include "controlplane/compile/slow_pattern.h"
#include "controlplane/compile/zones.h"
#include "controlplane/model/condition.h"
#include "proto/ruleset/builder.h"

namespace sluice::compile {

class Conditions {
 public:
  /// All outlive this. With `owners` off nobody is asked whose socket a client's is: lines by user
  /// id or process match nothing.
  Conditions(const Inputs& inputs, ruleset::Builder& block, Owners owners) noexcept
      : input_(inputs.sets), zones_(inputs.zones, block), block_(block), owners_(owners) {}
  Conditions(const Conditions&) = delete;
  Conditions& operator=(const Conditions&) = delete;

  [[nodiscard]] ruleset::Condition make(const model::Condition& condition);

  /// Of the sets that were named so far.
  [[nodiscard]] std::vector<SlowPattern> slow_patterns() const;

 private:
  [[nodiscard]] ruleset::Condition make(const model::Atom& atom);
  [[nodiscard]] ruleset::Condition make_set(const SetRef& ref, const model::Atom& atom);
  [[nodiscard]] const LoadedSet& load(const SetRef& ref);

  SetInput& input_;
  Zones zones_;
  ruleset::Builder& block_;
  Owners owners_;
  std::map<SetRef, LoadedSet> sets_;
};

}  // namespace sluice::compile
