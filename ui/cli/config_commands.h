// cli/config_commands.h - `sluice config …`: check here; compare, apply and take back there.
//
// A Failure without text: all was said already (diagnostics were printed).
#pragma once

#include "ui/cli/client.h"
#include "ui/cli/command_line.h"

namespace sluice::cli {

/// By the router in `run_dir`, if one runs there and no --home is given.
Outcome<void> config_check(const Invocation& in, const std::string& run_dir);
Outcome<void> config_diff(Client& client, const Invocation& in);
Outcome<void> config_apply(Client& client, const Invocation& in);
Outcome<void> config_confirm(Client& client);
Outcome<void> config_rollback(Client& client, const Invocation& in);

}  // namespace sluice::cli
