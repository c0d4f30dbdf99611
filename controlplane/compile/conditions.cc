#include "controlplane/compile/conditions.h"

#include <utility>

#include "controlplane/compile/atoms.h"
#include "controlplane/compile/condition_tree.h"
#include "controlplane/compile/private_ranges.h"
#include "controlplane/compile/set_refs.h"

namespace sluice::compile {
namespace {

using model::AtomKind;
using ruleformats::Weight;
using ruleset::Condition;

/// The entries of the block's sets, by weight: the greatest that matches decides.
Condition by_weight(const LoadedSet& set, ruleset::Resolve resolve, ruleset::Compared side) {
  const auto in = [&](Weight weight) {
    const auto& id = set.weights[static_cast<std::size_t>(weight)];
    return id ? Condition::in_set(*id, resolve, side) : Condition::never();
  };
  const auto not_in = [&](Weight weight) { return Condition::negate(in(weight)); };
  const bool only_listed = !set.weights[1] && !set.weights[2] && !set.weights[3];
  if (only_listed) return in(Weight::listed);
  return Condition::all(
      {not_in(Weight::excepted_firmly),
       Condition::any({in(Weight::listed_firmly),
                       Condition::all({in(Weight::listed), not_in(Weight::excepted)})})});
}

/// An entry under the options of the RULE-SET line: `src` turns both sides round.
model::Condition under_options(model::Condition entry, const model::Atom& line) {
  for_each_atom(entry, [&line](model::Atom& atom) {
    if (line.source) {
      if (model::takes_address_options(atom.kind)) atom.source = !atom.source;
      if (atom.kind == AtomKind::dst_port)
        atom.kind = AtomKind::src_port;
      else if (atom.kind == AtomKind::src_port)
        atom.kind = AtomKind::dst_port;
    }
    if (line.source || line.no_resolve) atom.no_resolve = model::takes_address_options(atom.kind);
  });
  return entry;
}

/// What a flow must have to be outside of a set: a flow without a name is neither in a set of names
/// nor in what is left of all names.
Condition is_known(const SetRef& ref, const model::Atom& atom) {
  switch (ref.kind) {
    case SetKind::geosite:
      return Condition::domain_wildcard("*");
    case SetKind::geoip:
    case SetKind::asn:
      return has_address(atom);
    case SetKind::provider:
      break;
  }
  return Condition::always();
}

}  // namespace

Condition Conditions::make(const model::Condition& condition) {
  return make_tree(condition, [this](const model::Atom& atom) { return make(atom); });
}

Condition Conditions::make(const model::Atom& atom) {
  const auto set = set_of(atom);
  return set ? make_set(*set, atom) : make_atom(atom, zones_, owners_);
}

Condition Conditions::make_set(const SetRef& ref, const model::Atom& atom) {
  const LoadedSet& set = load(ref);
  const auto side = atom.source ? ruleset::Compared::source : ruleset::Compared::destination;
  Condition members = by_weight(set, resolve_of(atom), side);
  if (!set.outside.empty()) {
    Condition::List parts;
    parts.push_back(std::move(members));
    for (const model::Condition& entry : set.outside)
      parts.push_back(make(under_options(entry, atom)));
    members = Condition::any(std::move(parts));
  }
  if (!set.inverse) return members;
  return Condition::all({is_known(ref, atom), Condition::negate(std::move(members))});
}

std::vector<SlowPattern> Conditions::slow_patterns() const {
  std::vector<SlowPattern> out;
  for (const auto& [ref, set] : sets_)
    if (!set.slow_pattern.empty()) out.push_back({ref, set.slow_pattern});
  return out;
}

const LoadedSet& Conditions::load(const SetRef& ref) {
  const auto known = sets_.find(ref);
  if (known != sets_.end()) return known->second;
  return sets_.emplace(ref, read_set(ref, input_, zones_, block_, owners_)).first->second;
}

}  // namespace sluice::compile
