// cli/start_router.h - `sluice run`: becomes the supervisor, which lies near this program.
#pragma once

#include <string>
#include <vector>

#include "ui/cli/command_line.h"
#include "ui/cli/exit_code.h"

namespace sluice::cli {

/// Where the supervisor may be, best first, for a `sluice` in `directory`: a build tree's
/// ../supervisor, the same directory, an installation's ../libexec/sluice.
[[nodiscard]] std::vector<std::string> supervisor_places(const std::string& directory);

/// Its arguments, without the program's name: what the user gave, nothing else.
[[nodiscard]] std::vector<std::string> supervisor_arguments(const Invocation& invocation);

/// Returns only when it could not be started.
[[nodiscard]] Failure start_router(const Invocation& invocation);

}  // namespace sluice::cli
