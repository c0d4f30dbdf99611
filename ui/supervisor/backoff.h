// supervisor/backoff.h - when a plane that died starts again. Time is a parameter.
//
//   deaths in a row   1    2       3    4    5 ...
//   wait              0    250 ms  0.5  1    2 ... 30 s
//
// The first restart is immediate, so that service is back within two seconds. A plane that lived
// for kHealthyLife starts the row anew.
#pragma once

#include <algorithm>

#include "proto/common/clock.h"

namespace sluice::supervisor {

inline constexpr Millis kFirstWait{250};
inline constexpr Millis kLongestWait{30'000};
inline constexpr Millis kHealthyLife{20'000};

class Backoff {
 public:
  void started(Moment now) noexcept { started_ = now; }
  /// Call at each death; returns when to start again.
  [[nodiscard]] Moment died(Moment now) noexcept {
    if (now - started_ >= kHealthyLife) wait_ = {};
    const Moment next = now + wait_;
    wait_ = wait_.count == 0 ? kFirstWait : std::min(wait_ * 2, kLongestWait);
    return next;
  }

 private:
  Moment started_{};
  Millis wait_{};
};

}  // namespace sluice::supervisor
