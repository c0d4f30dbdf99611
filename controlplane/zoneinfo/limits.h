// zoneinfo/limits.h - bounds of the room. The files are the system's own, yet any of them may be
// damaged or a link to something else.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sluice::zoneinfo {

/// How far ahead of now a table reaches.
inline constexpr int kYearsAhead = 10;
/// The largest file of the tz database has 4 KiB.
inline constexpr std::size_t kMaxFile_bytes = std::size_t{64} << 10U;
/// A POSIX TZ string; the longest of the tz database has 48 bytes.
inline constexpr std::size_t kMaxRule_bytes = 256;
/// The longest name of the tz database has 32 bytes; model refuses longer ones than this.
inline constexpr std::size_t kMaxName_bytes = 64;
/// Of one table. Four a year (Morocco: summer time and Ramadan) are the most in use.
inline constexpr std::size_t kMaxTransitions = 512;

inline constexpr std::int32_t kHour_s = 60 * 60;
inline constexpr std::int32_t kDay_s = 24 * kHour_s;

/// Local time minus UTC that a table can hold (ruleset/zone.h).
[[nodiscard]] constexpr bool is_offset(std::int32_t seconds) noexcept {
  return seconds > -kDay_s && seconds < kDay_s;
}

}  // namespace sluice::zoneinfo
