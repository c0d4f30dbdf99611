#include "controlplane/zoneinfo/posix_zone.h"

#include <algorithm>
#include <chrono>
#include <vector>

#include "controlplane/zoneinfo/limits.h"

namespace sluice::zoneinfo {
namespace {

using Change = PosixZone::Change;
using Transition = ruleset::Zone::Transition;

/// Times of day reach a week over either end of a year, so that what holds when a span begins may
/// have begun in the last year but one.
constexpr int kYearsBefore = 2;
constexpr unsigned kJulianMarch = 60;
constexpr unsigned kLastWeek = 5;

/// Midnight of the day in that year, on the local clock, as if that clock showed UTC.
std::int64_t midnight_of(const Change& change, int year) noexcept {
  using namespace std::chrono;
  const std::chrono::year y{year};
  sys_days day{y / January / 1};
  switch (change.kind) {
    case Change::Kind::julian:
      day += days{change.day - 1};
      if (y.is_leap() && change.day >= kJulianMarch) day += days{1};
      break;
    case Change::Kind::ordinal:
      day += days{change.day};
      break;
    case Change::Kind::weekday: {
      const auto month = y / std::chrono::month{change.month};
      const weekday name{change.day};
      day = change.week == kLastWeek ? sys_days{month / name[last]}
                                     : sys_days{month / name[change.week]};
      break;
    }
  }
  return sys_seconds{day}.time_since_epoch().count();
}

/// In UTC, for a clock that is `offset_s` ahead of it until then.
std::int64_t moment_of(const Change& change, int year, std::int32_t offset_s) noexcept {
  return midnight_of(change, year) + change.time_s - offset_s;
}

/// Ascending; what comes at one moment in the order of years, end behind begin.
std::vector<Transition> changes_of(const PosixZone& zone, const PosixZone::Daylight& daylight,
                                   int first_year, int last_year) {
  std::vector<Transition> out;
  const auto insert = [&out](std::int64_t at, std::int32_t offset_s) {
    out.insert(std::ranges::upper_bound(out, at, {}, &Transition::at), {at, offset_s});
  };
  for (int year = first_year; year <= last_year; ++year) {
    const std::int64_t begin = moment_of(daylight.begin, year, zone.standard_s);
    const std::int64_t end = moment_of(daylight.end, year, daylight.offset_s);
    insert(begin, daylight.offset_s);
    // RFC 8536 section 3.3.1: no room for standard time means that there is none.
    const bool all_year = end - begin >= start_of_year(year + 1) - start_of_year(year);
    if (!all_year) insert(end, zone.standard_s);
  }
  return out;
}

}  // namespace

void append_changes(const PosixZone& zone, std::optional<std::int64_t> after, TableWriter& to) {
  if (!zone.daylight) return;
  const auto changes = changes_of(zone, *zone.daylight, year_of(to.span().from) - kYearsBefore,
                                  year_of(to.span().to) + 1);
  for (std::size_t i = 0; i < changes.size(); ++i) {
    // Of several at one moment the last counts.
    if (i + 1 < changes.size() && changes[i + 1].at == changes[i].at) continue;
    if (!after || changes[i].at > *after) to.change(changes[i].at, changes[i].offset_s);
  }
}

Result<ruleset::Zone> table_of(const PosixZone& zone, Span span) {
  TableWriter out(span, zone.standard_s);
  append_changes(zone, std::nullopt, out);
  return out.finish();
}

}  // namespace sluice::zoneinfo
