// app/set_problems.h - what is wrong with the content of sets, at the rules that name them.
//
//   config.yaml:41:5: rules[3]: GEOSITE,adz: HOME/GeoSite.dat has no category "adz"; …
//
// An unknown geosite category is an error, as a name that does not exist is elsewhere. What is not
// here yet, or broken on disk, is a warning: the set is what it was, or empty.
#pragma once

#include <string>
#include <vector>

#include "controlplane/model/config.h"
#include "controlplane/model/diagnostic.h"
#include "controlplane/ruleset/set_problem.h"

namespace sluice::control_plane {

/// `file` is the name in diagnostics.
[[nodiscard]] std::vector<model::Diagnostic> to_diagnostics(
    const std::vector<sets::SetProblem>& problems, const model::Config& config,
    const std::string& file);

}  // namespace sluice::control_plane
