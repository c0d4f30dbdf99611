// app/rule_places.h - where the rules of a configuration stand, for what is found wrong with them
// only after reading: sets, zones.
//
// Thread: any.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "controlplane/model/config.h"
#include "controlplane/model/diagnostic.h"

namespace sluice::control_plane {

/// "rules[3]"
[[nodiscard]] inline std::string index_path(std::string_view list, std::uint32_t index) {
  return std::string(list) + "[" + std::to_string(index) + "]";
}

/// `f(rule, place)` for each rule in file order, those of sub-rule lists last.
template <class F>
void for_each_rule(const model::Config& config, F f) {
  for (const model::Rule& rule : config.rules)
    f(rule, model::Place{rule.at, index_path("rules", rule.index)});
  for (const model::SubRules& list : config.sub_rules)
    for (const model::Rule& rule : list.rules)
      f(rule, model::Place{rule.at, index_path("sub-rules." + list.name, rule.index)});
}

inline void put_place(model::Diagnostic& to, const model::Place& place) {
  to.line = place.at.line;
  to.column = place.at.column;
  to.path = place.path;
}

/// "what is wrong; what to do"
inline void put_sentence(model::Diagnostic& to, std::string_view sentence) {
  const std::size_t cut = sentence.find("; ");
  to.problem = sentence.substr(0, cut);
  if (cut != std::string_view::npos) to.remedy = sentence.substr(cut + 2);
}

}  // namespace sluice::control_plane
