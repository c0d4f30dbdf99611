// zoneinfo/span.h - the stretch of time that a table covers.
#pragma once

#include <cstdint>

namespace sluice::zoneinfo {

/// UTC, seconds since 1970: `from` counts, `to` does not. Within the years 1 to 9999.
struct Span {
  std::int64_t from = 0;
  std::int64_t to = 0;
};

/// The whole UTC years from the one of a day before `now_s` to the one kYearsAhead years later.
/// Whole years, so that a table, and with it the digest of a block, changes once a year at most and
/// not with every start. A clock that is out of its mind is taken for the nearest sane moment.
[[nodiscard]] Span span_around(std::int64_t now_s) noexcept;

[[nodiscard]] int year_of(std::int64_t utc_seconds) noexcept;
/// Its first second in UTC.
[[nodiscard]] std::int64_t start_of_year(int year) noexcept;

}  // namespace sluice::zoneinfo
