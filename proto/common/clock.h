// common/clock.h - spans and moments in milliseconds, without <chrono>.
//
// Millis is a span (a timeout), Moment a point on the monotonic clock (a deadline). Time is a
// parameter everywhere except in the loop, so state machines are stepped by hand in tests.
#pragma once

#include <compare>
#include <cstdint>

namespace sluice {

struct Millis {
  std::int64_t count = 0;
  friend auto operator<=>(const Millis&, const Millis&) = default;
  friend constexpr Millis operator+(Millis a, Millis b) noexcept { return {a.count + b.count}; }
  friend constexpr Millis operator-(Millis a, Millis b) noexcept { return {a.count - b.count}; }
  friend constexpr Millis operator*(Millis a, std::int64_t n) noexcept { return {a.count * n}; }
};

struct Moment {
  std::int64_t ms = 0;
  /// Later than every real moment: "no deadline".
  static constexpr Moment never() noexcept { return {INT64_MAX}; }
  friend auto operator<=>(const Moment&, const Moment&) = default;
  friend constexpr Moment operator+(Moment m, Millis d) noexcept {
    return m.ms > INT64_MAX - d.count ? never() : Moment{m.ms + d.count};
  }
  friend constexpr Millis operator-(Moment a, Moment b) noexcept { return {a.ms - b.ms}; }
};

inline namespace literals {
constexpr Millis operator""_ms(unsigned long long n) noexcept {
  return {static_cast<std::int64_t>(n)};
}
constexpr Millis operator""_s(unsigned long long n) noexcept {
  return {static_cast<std::int64_t>(n) * 1000};
}
}  // namespace literals

/// CLOCK_MONOTONIC now. For places without a loop; loops have Loop::now().
[[nodiscard]] Moment monotonic_now() noexcept;
/// CLOCK_MONOTONIC in nanoseconds, for measurements.
[[nodiscard]] std::uint64_t monotonic_ns() noexcept;
/// Wall clock, milliseconds since 1970. For display and storage only.
[[nodiscard]] std::int64_t wall_ms() noexcept;
/// The same in seconds, as of the kernel's last tick: a few nanoseconds, cheap enough for each
/// flow.
[[nodiscard]] std::int64_t wall_seconds() noexcept;

}  // namespace sluice
