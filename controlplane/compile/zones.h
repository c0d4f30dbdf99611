// compile/zones.h - the time zones of a block: each name once, in the order of first use.
#pragma once

#include <map>
#include <string>

#include "controlplane/compile/zone_input.h"
#include "proto/ruleset/builder.h"

namespace sluice::compile {

class Zones {
 public:
  /// Both outlive this.
  Zones(ZoneInput& input, ruleset::Builder& block) noexcept : input_(input), block_(block) {}

  [[nodiscard]] ruleset::ZoneId of(const std::string& name) {
    const auto known = ids_.find(name);
    if (known != ids_.end()) return known->second;
    return ids_.emplace(name, block_.add_zone(input_.zone(name))).first->second;
  }

 private:
  ZoneInput& input_;
  ruleset::Builder& block_;
  std::map<std::string, ruleset::ZoneId, std::less<>> ids_;
};

}  // namespace sluice::compile
