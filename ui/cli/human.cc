#include "ui/cli/human.h"

#include <array>
#include <cstdio>
#include <ctime>

#include "proto/common/text.h"

namespace sluice::cli {
namespace {

constexpr std::uint32_t kDay_s = 86'400;

template <class... Values>
std::string format(const char* form, Values... values) {
  std::array<char, 64> out{};
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#pragma GCC diagnostic ignored "-Wformat-security"
  std::snprintf(out.data(), out.size(), form, values...);
#pragma GCC diagnostic pop
  return out.data();
}

}  // namespace

std::string human_bytes(std::uint64_t bytes) {
  static constexpr std::array kUnits{"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  if (bytes < 1024) return std::to_string(bytes) + " B";
  double value = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  // 1023.95 would be printed as 1024.0.
  for (; value >= 1023.95 && unit + 1 < kUnits.size(); ++unit) value /= 1024;
  return format("%.1f %s", value, kUnits[unit]);
}

std::string human_rate(std::uint64_t bytes, std::int64_t span_ms) {
  if (span_ms <= 0) return "0 B/s";
  const double per_second = static_cast<double>(bytes) * 1000 / static_cast<double>(span_ms);
  return human_bytes(static_cast<std::uint64_t>(per_second)) + "/s";
}

std::string human_span(std::int64_t ms) {
  const long long s = ms < 0 ? 0 : ms / 1000;
  if (s < 60) return format("%llds", s);
  if (s < 3600) return format("%lldm%02llds", s / 60, s % 60);
  if (s < kDay_s) return format("%lldh%02lldm", s / 3600, s % 3600 / 60);
  return format("%lldd%02lldh", s / kDay_s, s % kDay_s / 3600);
}

std::string rfc3339(std::int64_t wall_ms) {
  std::int64_t seconds = wall_ms / 1000;
  std::int64_t rest = wall_ms % 1000;
  if (rest < 0) {
    --seconds;
    rest += 1000;
  }
  const auto when = static_cast<std::time_t>(seconds);
  std::tm parts{};
  ::gmtime_r(&when, &parts);
  return format("%04d-%02d-%02dT%02d:%02d:%02d.%03dZ", parts.tm_year + 1900, parts.tm_mon + 1,
                parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec, static_cast<int>(rest));
}

std::string rfc3339_or_empty(std::int64_t wall_ms) {
  return wall_ms == 0 ? std::string() : rfc3339(wall_ms);
}

Result<std::uint32_t> parse_span(std::string_view text) noexcept {
  std::uint32_t unit = 1;
  if (!text.empty()) {
    switch (text.back()) {
      case 's':
        unit = 1;
        break;
      case 'm':
        unit = 60;
        break;
      case 'h':
        unit = 3600;
        break;
      case 'd':
        unit = kDay_s;
        break;
      default:
        unit = 0;
    }
    if (unit == 0)
      unit = 1;
    else
      text.remove_suffix(1);
  }
  const Result<std::uint64_t> number = parse_number(text, kDay_s / unit);
  if (!number || *number == 0) return fail(Errc::malformed);
  return static_cast<std::uint32_t>(*number) * unit;
}

std::string counted(std::size_t count, std::string_view what) {
  return std::to_string(count) + " " + std::string(what) + (count == 1 ? "" : "s");
}

}  // namespace sluice::cli
