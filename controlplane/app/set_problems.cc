#include "controlplane/app/set_problems.h"

#include <optional>
#include <string_view>

#include "controlplane/app/rule_places.h"
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

/// The first rule that names the set. A set of which only a list's own lines know stands nowhere.
model::Place place_of(const SetRef& set, const model::Config& config) {
  if (set.kind == SetKind::provider)
    for (const model::RuleProvider& provider : config.rule_providers)
      if (provider.name == set.name) return provider.place;
  model::Place out;
  for_each_rule(config, [&](const model::Rule& rule, const model::Place& place) {
    if (out.path.empty() && names(rule.condition, set)) out = place;
  });
  return out;
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
    put_place(told, place);
    put_sentence(told, problem.sentence);
  }
  return out;
}

}  // namespace sluice::control_plane
