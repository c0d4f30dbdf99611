// cli/start_router.h - `sluice run`: becomes the supervisor, which lies near this program.
#pragma once

#include <string>
#include <vector>

#include "ui/cli/command_line.h"
#include "ui/cli/exit_code.h"

namespace sluice::cli {

/// Its arguments, without the program's name: what the user gave, nothing else.
[[nodiscard]] std::vector<std::string> supervisor_arguments(const Invocation& invocation);

/// Returns only when it could not be started.
[[nodiscard]] Failure start_router(const Invocation& invocation);

}  // namespace sluice::cli
