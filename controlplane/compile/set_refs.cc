#include "controlplane/compile/set_refs.h"

#include <algorithm>
#include <set>

#include "controlplane/compile/private_ranges.h"
#include "controlplane/compile/sniff_lists.h"
#include "controlplane/compile/used_lists.h"

namespace sluice::compile {

std::optional<SetRef> set_of(const model::Atom& atom) {
  using model::AtomKind;
  switch (atom.kind) {
    case AtomKind::rule_set:
      return SetRef{SetKind::provider, std::get<std::string>(atom.payload)};
    case AtomKind::geosite:
      return SetRef{SetKind::geosite, std::get<std::string>(atom.payload)};
    case AtomKind::geoip:
      if (is_private_ranges(atom)) return std::nullopt;
      return SetRef{SetKind::geoip, std::get<std::string>(atom.payload)};
    case AtomKind::ip_asn:
      return SetRef{SetKind::asn, std::to_string(std::get<model::AsNumber>(atom.payload).value)};
    default:
      return std::nullopt;
  }
}

bool names_a_set(const model::Condition& condition) {
  bool found = false;
  for_each_atom(condition,
                [&found](const model::Atom& atom) { found = found || set_of(atom).has_value(); });
  return found;
}

std::vector<SetRef> sets_of(const model::Config& config) {
  std::set<SetRef> found;
  const auto note = [&found](const model::Atom& atom) {
    if (auto set = set_of(atom)) found.insert(std::move(*set));
  };
  const auto look = [&note](const std::vector<model::Rule>& rules) {
    for (const model::Rule& rule : rules) for_each_atom(rule.condition, note);
  };
  look(config.rules);
  for (const model::SubRules* list : used_lists(config)) look(list->rules);
  for (const SniffEntry& entry : sniff_lists(config))
    std::ranges::for_each(entry.list->atoms, note);
  return {found.begin(), found.end()};
}

}  // namespace sluice::compile
