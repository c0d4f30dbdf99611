// compile/zone_input.h - where compile gets the tables of the time zones that TIME rules name.
// Declared here and implemented above, so that compile stays pure.
#pragma once

#include <string_view>

#include "proto/ruleset/zone.h"

namespace sluice::compile {

class ZoneInput {
 public:
  /// "Europe/Berlin", "UTC", "+05:30"; "" = the system's. Each name is asked once per compile().
  virtual ruleset::Zone zone(std::string_view name) = 0;

 protected:
  ~ZoneInput() = default;
};

}  // namespace sluice::compile
