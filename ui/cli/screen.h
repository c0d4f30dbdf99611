// cli/screen.h - where and when something is shown.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sluice::cli {

struct Screen {
  std::size_t width = 0;  ///< columns; 0 = no limit (not a terminal)
  std::int64_t now_wall_ms = 0;
};

/// Of standard output, now.
[[nodiscard]] Screen screen_now();

}  // namespace sluice::cli
