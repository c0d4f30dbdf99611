// app/helper_pause.h - when a helper that ended starts again. Time is a parameter.
//
//   ends in a row   1       2      3    4 ...
//   wait            250 ms  0.5 s  1 s  2 s ... 60 s
//
// One that lived for kWell starts the row anew.
#pragma once

#include <algorithm>

#include "proto/common/clock.h"

namespace sluice::app {

class HelperPause {
 public:
  static constexpr Millis kFirst{250};
  static constexpr Millis kLongest{60'000};
  static constexpr Millis kWell{60'000};

  /// Call at each try, also at one that fails.
  void started(Moment now) noexcept { started_ = now; }
  [[nodiscard]] bool well(Moment now) const noexcept { return now - started_ >= kWell; }
  /// Call when it ended or did not start; returns when to try again.
  [[nodiscard]] Moment ended(Moment now) noexcept {
    if (well(now)) wait_ = kFirst;
    const Moment next = now + wait_;
    wait_ = std::min(wait_ * 2, kLongest);
    return next;
  }

 private:
  Moment started_{};
  Millis wait_ = kFirst;
};

}  // namespace sluice::app
