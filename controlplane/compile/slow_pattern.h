// compile/slow_pattern.h - an entry of a set that deserves a warning though it works.
#pragma once

#include <string>

#include "controlplane/compile/set_input.h"

namespace sluice::compile {

/// RE2 cannot express it: PCRE2 runs it, going back and trying again within its limits.
struct SlowPattern {
  SetRef set;
  std::string pattern;  ///< the first one of the set
};

}  // namespace sluice::compile
