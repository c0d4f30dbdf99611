// app/rules_report.h - rule lines as users look at them: the configuration's side and the data
// plane's, line by line.
//
// Pure.
#pragma once

#include <string>
#include <vector>

#include "controlplane/app/prepare.h"
#include "controlplane/manage/answer.h"
#include "controlplane/manage/reports.h"
#include "proto/contract/rules.h"

namespace sluice::control_plane {

/// `states` are of `running`, whose text is from `file`; hits are counted since `since_wall_ms`.
[[nodiscard]] manage::RulesReport rules_report(const Running& running, const std::string& file,
                                               const contract::RuleStates& states,
                                               std::int64_t since_wall_ms);

/// The same lines by their places in the manifest; of two for one line the later counts. Fault:
/// not_found, for the first line that is not there.
[[nodiscard]] manage::Answer<std::vector<contract::RuleSwitch>> switches_of(
    const contract::Manifest& manifest, const std::vector<manage::RuleToggle>& toggles);

}  // namespace sluice::control_plane
