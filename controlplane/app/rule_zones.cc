#include "controlplane/app/rule_zones.h"

#include <utility>

#include "controlplane/app/rule_places.h"
#include "controlplane/zoneinfo/table.h"

namespace sluice::control_plane {
namespace {

model::Diagnostic diagnostic_of(const std::string& sentence, const std::string& file,
                                const model::Place& place) {
  model::Diagnostic out;
  out.severity = model::Severity::warning;
  out.file = file;
  put_place(out, place);
  put_sentence(out, sentence);
  return out;
}

}  // namespace

RuleZones::RuleZones(const model::Config& config, const std::string& file,
                     zoneinfo::ZoneReader zones)
    : zones_(std::move(zones)), file_(file) {
  for_each_rule(config, [&](const model::Rule& rule, const model::Place& place) {
    model::for_each_atom(rule.condition, [&](const model::Atom& atom) {
      if (const auto* table = std::get_if<model::TimeTable>(&atom.payload))
        judge(table->zone, place);
    });
  });
  digest_ = contract::digest_of(as_byte_view(tables_));
  std::string().swap(tables_);
}

/// A second rule with the same mistake is not another mistake to mend, yet has a place of its own.
void RuleZones::judge(const std::string& name, const model::Place& place) {
  const auto found = zones_.find(name);
  if (named_.insert(name).second) zoneinfo::append_bytes(found.value_or(ruleset::Zone{}), tables_);
  if (found) return;
  const bool named = !name.empty();
  model::Diagnostic& told = problems_.emplace_back(
      diagnostic_of(named ? found.error() : found.error() + "; UTC is used", file_, place));
  if (named) told.severity = model::Severity::error;
}

ruleset::Zone RuleZones::zone(std::string_view name) {
  auto found = zones_.find(name);
  if (named_.contains(name)) return found.value_or(ruleset::Zone{});
  covered_ = false;
  if (found) return std::move(*found);
  problems_.push_back(
      diagnostic_of("in a rule list: " + found.error() + "; UTC is used", file_, {}));
  return {};
}

}  // namespace sluice::control_plane
