// cli/commands.h - what each command does: ask, show, exit status.
#pragma once

#include "ui/cli/command_line.h"

namespace sluice::cli {

/// Runs one command to its end; results go to standard output, failures to standard error. `line`
/// is what the completion and the man page are made of. Returns the exit status.
[[nodiscard]] int execute(const Invocation& invocation, const CommandLine& line);

}  // namespace sluice::cli
