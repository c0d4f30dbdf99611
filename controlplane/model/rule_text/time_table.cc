#include "controlplane/model/rule_text/time_table.h"

#include <algorithm>
#include <array>
#include <optional>

#include "controlplane/model/bounds.h"
#include "controlplane/model/read/words.h"
#include "proto/common/text.h"

namespace sluice::model::rule_text {
namespace {

constexpr std::array<std::string_view, 7> kDays = {"sun", "mon", "tue", "wed", "thu", "fri", "sat"};
constexpr std::uint16_t kDayMinutes = 24 * 60;
// The longest name of the tz database has 32 bytes.
constexpr std::size_t kMaxZone = 64;

std::optional<unsigned> day(std::string_view text) noexcept {
  const auto it = std::ranges::find_if(kDays, [&](auto name) { return iequals(name, text); });
  if (it == kDays.end()) return std::nullopt;
  return static_cast<unsigned>(it - kDays.begin());
}

/// "mon+wed-fri", "sat-mon" (over the weekend), "daily": bits, 0 when it is none.
std::uint8_t weekdays(std::string_view text) noexcept {
  if (iequals(text, "daily")) return 0x7f;
  unsigned bits = 0;
  while (true) {
    const std::size_t plus = text.find('+');
    const std::string_view range = text.substr(0, plus);
    const std::size_t dash = range.find('-');
    const auto first = day(range.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : day(range.substr(dash + 1));
    if (!first || !last) return 0;
    for (unsigned d = *first; bits |= 1U << d, d != *last;) d = (d + 1) % 7;
    if (plus == std::string_view::npos) return static_cast<std::uint8_t>(bits);
    text.remove_prefix(plus + 1);
  }
}

/// "8:05" -> 485; at most 24:00.
std::optional<std::uint16_t> minute_of_day(std::string_view text) noexcept {
  const std::size_t colon = text.find(':');
  if (colon > 2 || text.size() != colon + 3) return std::nullopt;
  const auto hour = parse_number(text.substr(0, colon), 24);
  const auto minute = parse_number(text.substr(colon + 1), 59);
  if (!hour || !minute) return std::nullopt;
  const auto out = static_cast<std::uint16_t>(*hour * 60 + *minute);
  if (out > kDayMinutes) return std::nullopt;
  return out;
}

std::optional<DayHours> hours(std::string_view text) noexcept {
  const std::size_t dash = text.find('-');
  if (dash == std::string_view::npos) return std::nullopt;
  const auto begin = minute_of_day(text.substr(0, dash));
  const auto end = minute_of_day(text.substr(dash + 1));
  if (!begin || !end || *begin == kDayMinutes || *end == 0 || *begin == *end) return std::nullopt;
  return DayHours{0, *begin, *end};
}

bool is_offset(std::string_view text) noexcept {
  if (text.size() != 6 || (text[0] != '+' && text[0] != '-')) return false;
  const auto minutes = minute_of_day(text.substr(1));
  return minutes && *minutes <= 14 * 60;  // the widest in use is +14:00
}

/// As the tz database names zones: never a way out of its folder.
bool is_zone_name(std::string_view text) noexcept {
  const auto letter = [](char c) { return (c | 0x20) >= 'a' && (c | 0x20) <= 'z'; };
  if (text.empty() || text.size() > kMaxZone || !letter(text.front()) || text.ends_with('/') ||
      text.find("//") != std::string_view::npos)
    return false;
  return std::ranges::all_of(text, [&](char c) {
    return letter(c) || (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '+' || c == '/';
  });
}

/// Takes what stands before the next byte of `ends`, and the blanks behind it.
std::string_view take(std::string_view& rest, std::string_view ends) noexcept {
  const std::string_view word = rest.substr(0, rest.find_first_of(ends));
  rest.remove_prefix(word.size());
  rest = trim(rest);
  return word;
}

}  // namespace

std::expected<TimeTable, PayloadFault> parse_time_table(std::string_view text) {
  TimeTable out;
  std::string_view rest = trim(text);
  while (true) {
    const std::string_view days = take(rest, " \t");
    const std::string_view span = take(rest, " \t/");
    auto entry = hours(span);
    const std::uint8_t bits = weekdays(days);
    if (bits == 0)
      return wrong(quote(days) + " are no weekdays", "write for example mon-fri, sat+sun or daily");
    if (!entry)
      return wrong(quote(span) + " is not a span of hours",
                   "write for example 08:00-18:00, 22:00-06:00 (over midnight), or 00:00-24:00");
    if (out.hours.size() == kMaxItems)
      return wrong("more than " + std::to_string(kMaxItems) + " times",
                   "write another line for the rest");
    entry->weekdays = bits;
    out.hours.push_back(*entry);
    if (!rest.starts_with('/')) break;
    rest.remove_prefix(1);
    rest = trim(rest);
  }
  if (!rest.empty() && !is_offset(rest) && !is_zone_name(rest))
    return wrong(quote(rest) + " is not a time zone",
                 "write for example Europe/Berlin, UTC or +02:00, once and behind all times");
  out.zone = rest;
  return out;
}

}  // namespace sluice::model::rule_text
