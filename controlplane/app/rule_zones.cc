#include "controlplane/app/rule_zones.h"

#include <utility>

#include "controlplane/app/rule_places.h"
#include "controlplane/zoneinfo/table.h"

namespace sluice::control_plane {

RuleZones::RuleZones(const model::Config& config, const std::string& file,
                     zoneinfo::ZoneReader zones)
    : zones_(std::move(zones)), report_(file) {
  for_each_rule(config, [&](const model::Rule& rule, const model::Place& place) {
    model::for_each_atom(rule.condition, [&](const model::Atom& atom) {
      if (const auto* table = std::get_if<model::TimeTable>(&atom.payload))
        judge(table->zone, place);
    });
  });
  digest_ = contract::digest_of(as_byte_view(tables_));
  std::string().swap(tables_);
}

void RuleZones::judge(const std::string& name, const model::Place& place) {
  const auto [at, fresh] = named_.try_emplace(name);
  if (fresh) {
    const auto found = zones_.find(name);
    zoneinfo::append_bytes(found.value_or(ruleset::Zone{}), tables_);
    if (!found) at->second = found.error();
  }
  if (!at->second.empty()) complain(name, place, at->second);
}

/// A second rule with the same mistake is not another mistake to mend.
void RuleZones::complain(const std::string& zone, const model::Place& place,
                         const std::string& why) {
  model::Diagnostic told;
  put_sentence(told, zone.empty() ? why + "; UTC is used" : why);
  if (zone.empty())
    report_.warning_once(zone, place, told.problem, told.remedy);
  else
    report_.error_once(zone, place, told.problem, told.remedy);
}

ruleset::Zone RuleZones::zone(std::string_view name) {
  auto found = zones_.find(name);
  if (named_.contains(name)) return found.value_or(ruleset::Zone{});
  covered_ = false;
  if (found) return std::move(*found);
  model::Diagnostic told;
  put_sentence(told, "in a rule list: " + found.error() + "; UTC is used");
  report_.warning({}, told.problem, told.remedy);
  return {};
}

}  // namespace sluice::control_plane
