// cli/rule_commands.h - `sluice rules …`: what each asks of the router and prints.
//
// A Failure without text: all was said already.
#pragma once

#include "ui/cli/client.h"
#include "ui/cli/command_line.h"

namespace sluice::cli {

Outcome<void> rules_list(Client& client, const Invocation& in);
Outcome<void> rules_top(Client& client, const Invocation& in);
Outcome<void> rules_unused(Client& client, const Invocation& in);
/// rules_disable and rules_enable.
Outcome<void> rules_switch(Client& client, const Invocation& in);
Outcome<void> rules_providers(Client& client, const Invocation& in);
/// Fails when one provider did.
Outcome<void> rules_update(Client& client, const Invocation& in);

}  // namespace sluice::cli
