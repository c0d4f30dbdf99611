// ruleset/triggers.h - what must hold, and an index can find, for a condition to hold.
//
//   AND((DOMAIN-REGEX,^ads[0-9]+\.),(NETWORK,tcp))     keyword "ads"
//   OR((DOMAIN,a.test),(SRC-PORT,53))                  name "a.test", source port 53
//   NOT((DST-PORT,80))                                 always
//
// A position with a condition stands in the indexes under its triggers only, so that its program
// runs for the flows that come near.
#pragma once

#include <span>

#include "proto/ruleset/builder.h"

namespace sluice::ruleset {

/// Atoms, and sets, of which at least one holds whenever `condition` does. Atoms of kind always
/// and owner stand for the lists of those names.
struct Triggers {
  Condition::List atoms;
  bool owner = false;  ///< the list of conditions that ask who owns the flow
  int rank = 0;        ///< the lower, the fewer flows they let through
};

/// Rank of a set whose entries all stand in indexes.
inline constexpr int kSetRank = 3;

/// What entries that need programs make of a set's rank.
class SetRanks {
 public:
  virtual int rank_of(const Condition& set) = 0;

 protected:
  ~SetRanks() = default;
};

/// Needs a simplified condition. A pattern that does not compile gives `always`. Without `sets`
/// every set has kSetRank.
[[nodiscard]] Triggers triggers_of(const Condition& condition, SetRanks* sets = nullptr);

}  // namespace sluice::ruleset
