// cli/terminal.h - what standard output is connected to.
#pragma once

#include <cstddef>
#include <string_view>

namespace sluice::cli {

struct Terminal {
  bool present = false;
  std::size_t width = 0;  ///< columns; 0 when it is no terminal
  std::size_t height = 0;
};

/// Asked anew each time: people resize windows.
[[nodiscard]] Terminal terminal();

/// Writes all of it. False when nobody reads any more: end.
bool print(std::string_view text);
void print_error(std::string_view text);
/// A line "sluice: " + text to standard error.
void complain(std::string_view text);

}  // namespace sluice::cli
