// cli/completion.h - completion scripts for shells, from the outline of the commands.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ui/cli/outline.h"

namespace sluice::cli {

/// `shell`: "bash", "zsh" or "fish". Options of `sluice` itself are offered everywhere.
[[nodiscard]] std::string completion_script(std::string_view shell,
                                            const std::vector<OutlineCommand>& commands);

}  // namespace sluice::cli
