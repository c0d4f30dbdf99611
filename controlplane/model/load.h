// model/load.h - text to Config, with everything that is wrong or not built said at once.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "controlplane/model/config.h"
#include "controlplane/model/diagnostic.h"
#include "controlplane/model/tree.h"

namespace sluice::model {

struct LoadResult {
  std::optional<Config> config;         ///< absent when any diagnostic is an error
  std::vector<Diagnostic> diagnostics;  ///< in file order
};

/// Types and defaults a tree. Never stops at the first error. Pure: no files, no network, no clock.
[[nodiscard]] LoadResult read_config(const Document& document, std::string_view file_name);

/// The whole way from a Clash/Mihomo YAML text. `file_name` stands in the diagnostics and is
/// not opened. Defined by controlplane/config, the room above, which reads the YAML: link
/// `config_dep`.
[[nodiscard]] LoadResult load_config(std::string_view text, std::string_view file_name);

}  // namespace sluice::model
