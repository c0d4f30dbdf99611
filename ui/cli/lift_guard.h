// cli/lift_guard.h - lifts a fail-closed guard when there is no router that could.
//
// Only `sluice-nft` speaks to nftables, so it is run and waited for.
#pragma once

#include <expected>

#include "ui/cli/exit_code.h"

namespace sluice::cli {

/// Needs root. No guard there is no error. Fails when the program is missing or the kernel refused.
[[nodiscard]] std::expected<void, Failure> lift_guard();

}  // namespace sluice::cli
