// cli/flow_commands.h - `sluice flows`, `sluice flows close` and `sluice top`.
#pragma once

#include "ui/cli/client.h"
#include "ui/cli/command_line.h"

namespace sluice::cli {

Outcome<void> flows(Client& client, const Invocation& in);
Outcome<void> close_flows(Client& client, const Invocation& in);
/// Live on a terminal; else one table.
Outcome<void> top(Client& client, const Invocation& in);

}  // namespace sluice::cli
