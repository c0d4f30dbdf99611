// supervisor/programs.h - finds the planes and opens them, before anybody's user changes.
#pragma once

#include <string>

#include "proto/common/result.h"
#include "proto/common/unique_fd.h"

namespace sluice::supervisor {

struct Programs {
  UniqueFd data_plane;           ///< O_PATH
  UniqueFd control_plane;        ///< O_PATH
  std::string helper_directory;  ///< where sluice-nft is
};

/// Looks beside `own_directory`: installed, all programs share it; in a build tree the planes
/// are in ../../dataplane/app and ../../controlplane/app, the helper in ../../dataplane/helper.
/// Errors: not_found; `why` names the program.
[[nodiscard]] Result<Programs> open_programs(const std::string& own_directory, std::string& why);

/// The directory of this process's own program. Errors: system.
[[nodiscard]] Result<std::string> own_directory();

}  // namespace sluice::supervisor
