// compile/read_set.h - the entries of one set, from whoever has them into a block.
//
//   entry                        weight            goes to
//   name                         listed …          one set of the block per weight that occurs
//   prefix, condition            listed            the set of listed entries
//   condition that names a geo set                 `outside`: the block's sets hold no sets
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "controlplane/compile/atoms.h"
#include "controlplane/compile/set_input.h"
#include "controlplane/compile/zones.h"
#include "controlplane/model/condition.h"
#include "proto/ruleset/builder.h"

namespace sluice::compile {

struct LoadedSet {
  /// By ruleformats::Weight; absent: no entry has that weight.
  std::array<std::optional<ruleset::SetId>, 4> weights;
  std::vector<model::Condition> outside;  ///< of providers only, and they name geo sets only
  bool inverse = false;
  /// The first regular expression of a provider that only PCRE2 can run; empty: none.
  std::string slow_pattern;
};

/// Asks `input` once. Entries that no flow can meet are left out, regexes that do not compile too.
[[nodiscard]] LoadedSet read_set(const SetRef& set, SetInput& input, Zones& zones,
                                 ruleset::Builder& block, Owners owners);

}  // namespace sluice::compile
