// cli/stats_commands.h - `sluice stats` and `sluice memory`.
#pragma once

#include "ui/cli/client.h"
#include "ui/cli/command_line.h"

namespace sluice::cli {

Outcome<void> stats(Client& client, const Invocation& in);
Outcome<void> memory(Client& client, const Invocation& in);

}  // namespace sluice::cli
