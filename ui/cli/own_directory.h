// cli/own_directory.h - where this program lies; the router's other programs are found from there.
#pragma once

#include <string>

namespace sluice::cli {

/// Links followed; empty when /proc is not there.
[[nodiscard]] std::string own_directory();

}  // namespace sluice::cli
