// ruleset/set_problem.h - why a set is not what its rule asks for.
#pragma once

#include <string>

#include "controlplane/compile/set_input.h"

namespace sluice::sets {

struct SetProblem {
  compile::SetRef set;
  /// "GEOSITE,adz: /home/GeoSite.dat has no category "adz"; did you mean `ads`?"
  std::string sentence;
  /// It follows from the content, and so holds as long as a block compiled from it does; otherwise
  /// it is about files as they are now.
  bool of_content = false;
  friend bool operator==(const SetProblem&, const SetProblem&) = default;
};

}  // namespace sluice::sets
