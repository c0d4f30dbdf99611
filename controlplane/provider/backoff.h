// provider/backoff.h - how long to wait after one failure, and after the next.
//
//   10 s, 20 s, 40 s ... up to the cap, each lengthened by up to a quarter (jitter)
#pragma once

#include <cstdint>
#include <functional>

#include "controlplane/provider/bounds.h"
#include "proto/common/clock.h"

namespace sluice::provider {

/// Where jitter comes from: any number. Stepped by hand in tests.
using Random = std::function<std::uint32_t()>;

class Backoff {
 public:
  /// `most`: the longest wait before jitter, at least kRetryFirst.
  explicit Backoff(Random random, Millis most = kRetryMost)
      : random_(std::move(random)), most_(most < kRetryFirst ? kRetryFirst : most) {}

  [[nodiscard]] Millis next() {
    const Millis wait = next_ < most_ ? next_ : most_;
    next_ = wait * 2;
    return wait + Millis{static_cast<std::int64_t>(random_()) % (wait.count / kJitterShare + 1)};
  }
  void reset() noexcept { next_ = kRetryFirst; }

 private:
  Random random_;
  Millis most_;
  Millis next_ = kRetryFirst;
};

/// How long a copy that was last found current at `checked_ms` need not be looked at. Wall clock,
/// milliseconds. A check in the future means that the clock was or is wrong: then look now, since a
/// router without a battery clock would otherwise never look again.
[[nodiscard]] constexpr Millis time_left(Millis interval, std::int64_t checked_ms,
                                         std::int64_t now_ms) noexcept {
  if (checked_ms > now_ms || now_ms - checked_ms >= interval.count) return {};
  return {interval.count - (now_ms - checked_ms)};
}

}  // namespace sluice::provider
