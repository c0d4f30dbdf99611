// app/check_only.h - judges a configuration as `config apply` would, without a router.
//
//   standard input: the text ─> Preparer, read-only ─> standard output: ConfigCheckReply
//
// Runs as the user that the router has, behind the same call filter: files that it may not read are
// found here, not at the next start. Thread: main, once.
#pragma once

#include "controlplane/app/options.h"

namespace sluice::control_plane {

/// Needs options.check. Returns the exit status: 0 also for a text with errors.
[[nodiscard]] int check_only(const Options& options);

}  // namespace sluice::control_plane
