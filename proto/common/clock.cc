#include "proto/common/clock.h"

#include <ctime>

namespace sluice {
namespace {

std::uint64_t read_ns(clockid_t clock) noexcept {
  timespec ts{};
  ::clock_gettime(clock, &ts);
  return static_cast<std::uint64_t>(ts.tv_sec) * 1'000'000'000ULL +
         static_cast<std::uint64_t>(ts.tv_nsec);
}

}  // namespace

Moment monotonic_now() noexcept {
  return {static_cast<std::int64_t>(read_ns(CLOCK_MONOTONIC) / 1'000'000ULL)};
}
std::uint64_t monotonic_ns() noexcept {
  return read_ns(CLOCK_MONOTONIC);
}
std::int64_t wall_ms() noexcept {
  return static_cast<std::int64_t>(read_ns(CLOCK_REALTIME) / 1'000'000ULL);
}
std::int64_t wall_seconds() noexcept {
  timespec ts{};
  ::clock_gettime(CLOCK_REALTIME_COARSE, &ts);
  return static_cast<std::int64_t>(ts.tv_sec);
}

}  // namespace sluice
