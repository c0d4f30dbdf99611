// cli/man_page.h - sluice(1) in roff, from the outline of the commands and the tables.
#pragma once

#include <string>
#include <vector>

#include "ui/cli/outline.h"

namespace sluice::cli {

[[nodiscard]] std::string man_page(const std::vector<OutlineCommand>& commands);

}  // namespace sluice::cli
