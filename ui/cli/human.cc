#include "ui/cli/human.h"

#include <array>
#include <cstdio>
#include <ctime>
#include <utility>

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

namespace {

/// A number and perhaps one of `units`; without one: times 1. Errors: malformed.
template <std::size_t N>
Result<std::uint64_t> parse_scaled(std::string_view text,
                                   const std::array<std::pair<char, std::uint64_t>, N>& units,
                                   std::uint64_t most) noexcept {
  std::uint64_t scale = 1;
  for (const auto& [letter, factor] : units) {
    if (!text.ends_with(letter)) continue;
    scale = factor;
    text.remove_suffix(1);
    break;
  }
  const Result<std::uint64_t> number = parse_number(text, most / scale);
  if (!number || *number == 0) return fail(Errc::malformed);
  return *number * scale;
}

constexpr std::uint64_t kMostPast_s = std::uint64_t{3'660} * kDay_s;
constexpr std::array<std::pair<char, std::uint64_t>, 5> kSpans{
    {{'s', 1}, {'m', 60}, {'h', 3'600}, {'d', kDay_s}, {'w', std::uint64_t{7} * kDay_s}}};
constexpr std::array<std::pair<char, std::uint64_t>, 3> kSizes{
    {{'K', std::uint64_t{1} << 10}, {'M', std::uint64_t{1} << 20}, {'G', std::uint64_t{1} << 30}}};

}  // namespace

Result<std::uint32_t> parse_span(std::string_view text) noexcept {
  if (text.ends_with('w')) return fail(Errc::malformed);
  const Result<std::uint64_t> span = parse_scaled(text, kSpans, kDay_s);
  if (!span) return fail(span.error());
  return static_cast<std::uint32_t>(*span);
}

Result<std::uint32_t> parse_past(std::string_view text) noexcept {
  const Result<std::uint64_t> span = parse_scaled(text, kSpans, kMostPast_s);
  if (!span) return fail(span.error());
  return static_cast<std::uint32_t>(*span);
}

Result<std::uint64_t> parse_bytes(std::string_view text) noexcept {
  return parse_scaled(text, kSizes, std::uint64_t{1} << 50);
}

std::string counted(std::size_t count, std::string_view what) {
  return std::to_string(count) + " " + std::string(what) + (count == 1 ? "" : "s");
}

}  // namespace sluice::cli
