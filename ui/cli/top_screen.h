// cli/top_screen.h - `sluice top` on a terminal.
//
//   stream's thread: tables ──> newest ── eventfd ──> this thread: keys, signals, frames
//
// Blocks until a key or a signal ends it, or the stream does.
#pragma once

#include "ui/cli/client.h"
#include "ui/cli/raw_terminal.h"
#include "ui/cli/top_view.h"

namespace sluice::cli {

[[nodiscard]] Outcome<void> run_top(Client& client, RawTerminal& terminal, TopView& view);

}  // namespace sluice::cli
