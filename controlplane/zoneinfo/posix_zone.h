// zoneinfo/posix_zone.h - POSIX TZ strings: a zone as a rule that holds for ever.
//
//   CET-1CEST,M3.5.0,M10.5.0/3        std offset dst [offset] , begin[/time] , end[/time]
//   └┬┘└┤└┬─┘ └─┬──┘ └──┬──┘└┤
//   name│name  last    last  time of day on the clock that runs until then, 02:00 if absent
//       │      sunday  sunday of october
//       UTC minus local time: the sign is the other way round than in our tables
//
// IEEE Std 1003.1 section 8.3, with the extensions of RFC 8536 section 3.3.1: times of day from
// -167 to 167 hours, daylight time that goes back instead of forth, and daylight time all year.
// Where Sluice reads them: the last line of TZif files, /etc/TZ, and TZ of the environment.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "controlplane/zoneinfo/table.h"
#include "proto/common/result.h"

namespace sluice::zoneinfo {

struct PosixZone {
  /// When in a year a change comes.
  struct Change {
    enum class Kind : std::uint8_t {
      julian,   ///< Jn: day 1..365; 29 February is not counted
      ordinal,  ///< n: day 0..365; 29 February is counted
      weekday,  ///< Mm.w.d: day 0..6 from Sunday, the week-th of the month or, with 5, the last
    };
    Kind kind = Kind::weekday;
    std::uint16_t day = 0;
    std::uint8_t month = 1;      ///< 1..12, weekday only
    std::uint8_t week = 1;       ///< 1..5, weekday only
    std::int32_t time_s = 7200;  ///< after that day's midnight, on the clock that runs until then
    friend bool operator==(const Change&, const Change&) = default;
  };
  struct Daylight {
    std::int32_t offset_s = 0;
    Change begin, end;
    friend bool operator==(const Daylight&, const Daylight&) = default;
  };

  std::int32_t standard_s = 0;  ///< local minus UTC, as in tables
  std::optional<Daylight> daylight;
  friend bool operator==(const PosixZone&, const PosixZone&) = default;
};

/// A whole TZ string, nothing else. A daylight name without days changes on the days of the United
/// States, as in the C libraries. Errors: malformed (also for offsets of a day and more).
[[nodiscard]] Result<PosixZone> parse_posix_tz(std::string_view text) noexcept;

/// The changes of the rule that come after `after`, up to the end of the writer's span. Without
/// `after` the rule holds from the beginning of time.
void append_changes(const PosixZone& zone, std::optional<std::int64_t> after, TableWriter& to);

/// Errors: none for spans of up to a century.
[[nodiscard]] Result<ruleset::Zone> table_of(const PosixZone& zone, Span span);

}  // namespace sluice::zoneinfo
