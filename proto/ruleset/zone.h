// ruleset/zone.h - a time zone as a table: what TIME conditions need of the zone database.
#pragma once

#include <cstdint>
#include <vector>

namespace sluice::ruleset {

struct Zone {
  struct Transition {
    std::int64_t at = 0;        ///< UTC, seconds since 1970; ascending
    std::int32_t offset_s = 0;  ///< local minus UTC from then on, less than a day
    friend bool operator==(const Transition&, const Transition&) = default;
  };
  std::int32_t first_offset_s = 0;  ///< before the first transition
  std::vector<Transition> transitions;
  friend bool operator==(const Zone&, const Zone&) = default;
};

}  // namespace sluice::ruleset
