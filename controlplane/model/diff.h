// model/diff.h - what differs between two configurations, for people (`config diff`).
#pragma once

#include <string>
#include <vector>

#include "controlplane/model/config.h"

namespace sluice::model {

/// One line per changed item, in the order of the file's maps: "mixed-port: 7890 -> 7891",
/// "proxies: added JP 7", "proxies: JP 7: server changed", "rules: 2 lines added, 1 removed".
/// Secrets are said to have changed, never shown. Empty when a == b.
[[nodiscard]] std::vector<std::string> diff(const Config& a, const Config& b);

}  // namespace sluice::model
