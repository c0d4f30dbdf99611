#include "ui/cli/screen.h"

#include "proto/common/clock.h"
#include "ui/cli/terminal.h"

namespace sluice::cli {

Screen screen_now() {
  return {terminal().width, wall_ms()};
}

}  // namespace sluice::cli
