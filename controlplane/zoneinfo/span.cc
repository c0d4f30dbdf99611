#include "controlplane/zoneinfo/span.h"

#include <algorithm>
#include <chrono>

#include "controlplane/zoneinfo/limits.h"

namespace sluice::zoneinfo {
namespace {

// Routers without a battery start in 1970.
constexpr std::int64_t kEarliest_s = 0;
constexpr std::int64_t kLatest_s = 200'000'000'000;  // in the year 8307

}  // namespace

int year_of(std::int64_t utc_seconds) noexcept {
  const std::chrono::sys_seconds moment{std::chrono::seconds{utc_seconds}};
  const std::chrono::year_month_day date{std::chrono::floor<std::chrono::days>(moment)};
  return static_cast<int>(date.year());
}

std::int64_t start_of_year(int year) noexcept {
  const std::chrono::sys_days first{std::chrono::year{year} / std::chrono::January / 1};
  return std::chrono::sys_seconds{first}.time_since_epoch().count();
}

Span span_around(std::int64_t now_s) noexcept {
  const std::int64_t now = std::clamp(now_s, kEarliest_s, kLatest_s);
  return {start_of_year(year_of(now - kDay_s)), start_of_year(year_of(now) + kYearsAhead + 1)};
}

}  // namespace sluice::zoneinfo
