#include "controlplane/app/set_problems.h"

#include <optional>
#include <string_view>

#include "controlplane/compile/set_refs.h"

namespace sluice::control_plane {
namespace {

using compile::SetKind;
using compile::SetRef;

bool names(const model::Condition& condition, const SetRef& set) {
  bool found = false;
  model::for_each_atom(condition,
                       [&](const model::Atom& atom) { found |= compile::set_of(atom) == set; });
  return found;
}

std::string index_path(std::string_view list, std::uint32_t index) {
  return std::string(list) + "[" + std::to_string(index) + "]";
}

/// The first rule that names the set. A set of which only a list's own lines know stands nowhere.
model::Place place_of(const SetRef& set, const model::Config& config) {
  if (set.kind == SetKind::provider)
    for (const model::RuleProvider& provider : config.rule_providers)
      if (provider.name == set.name) return provider.place;
  for (const model::Rule& rule : config.rules)
    if (names(rule.condition, set)) return {rule.at, index_path("rules", rule.index)};
  for (const model::SubRules& list : config.sub_rules)
    for (const model::Rule& rule : list.rules)
      if (names(rule.condition, set))
        return {rule.at, index_path("sub-rules." + list.name, rule.index)};
  return {};
}

}  // namespace

std::vector<model::Diagnostic> to_diagnostics(const std::vector<sets::SetProblem>& problems,
                                              const model::Config& config,
                                              const std::string& file) {
  std::vector<model::Diagnostic> out;
  for (const sets::SetProblem& problem : problems) {
    const model::Place place = place_of(problem.set, config);
    const bool unknown_category = problem.of_content && problem.set.kind == SetKind::geosite;
    model::Diagnostic& told = out.emplace_back();
    told.severity =
        unknown_category && place.at.line != 0 ? model::Severity::error : model::Severity::warning;
    told.file = file;
    told.line = place.at.line;
    told.column = place.at.column;
    told.path = place.path;
    const std::size_t cut = problem.sentence.find("; ");
    told.problem = problem.sentence.substr(0, cut);
    if (cut != std::string::npos) told.remedy = problem.sentence.substr(cut + 2);
  }
  return out;
}

}  // namespace sluice::control_plane
