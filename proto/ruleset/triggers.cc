#include "proto/ruleset/triggers.h"

#include <algorithm>

#include "proto/ruleset/patterns.h"
#include "proto/ruleset/simplify.h"

namespace sluice::ruleset {
namespace {

// Ranks: a guess how few flows an atom lets through.
constexpr int kOneName = 0;
constexpr int kOneClient = 1;
constexpr int kLongPrefix = 2;
// 3: kSetRank
constexpr int kOwner = 4;
constexpr int kLiteral = 5;
constexpr int kFewPorts = 6;
constexpr int kShortLiteral = 7;
constexpr int kOneOfFew = 8;
constexpr int kBroad = 9;
constexpr int kNetwork = 10;
constexpr int kAlways = 20;

constexpr std::size_t kLongLiteral_bytes = 4;
constexpr std::uint32_t kFewPorts_count = 64;
constexpr unsigned kLongV4_bits = 16;
constexpr unsigned kLongV6_bits = 32;

int rank_of(const Condition& c) {
  switch (c.op) {
    case Op::domain:
    case Op::domain_suffix:
    case Op::domain_below:
    case Op::domain_child:
      return kOneName;
    case Op::source_mac:
    case Op::user:
    case Op::rematch_name:
      return kOneClient;
    case Op::destination:
      return c.length >= (c.address.is_v4() ? kLongV4_bits : kLongV6_bits) ? kLongPrefix : kBroad;
    case Op::domain_keyword:
      return c.text.size() >= kLongLiteral_bytes ? kLiteral : kShortLiteral;
    case Op::destination_port:
    case Op::source_port:
      return c.last - c.first < kFewPorts_count ? kFewPorts : kBroad;
    case Op::inbound_name:
    case Op::in_port:
    case Op::in_type:
    case Op::dscp:
    case Op::source:
      return kOneOfFew;
    case Op::network:
      return kNetwork;
    case Op::always:
      return kAlways;
    default:
      return kBroad;
  }
}

Triggers one(Condition atom) {
  Triggers out;
  out.rank = rank_of(atom);
  out.atoms.push_back(std::move(atom));
  return out;
}

Triggers keyword(std::string_view literal) {
  return one(literal.empty() ? Condition::always() : Condition::domain_keyword(literal));
}

Triggers of_regex(const Condition& c) {
  Triggers out;
  for (const std::string& literal : necessary_literals(c.text)) {
    Triggers next = keyword(literal);
    out.rank = std::max(out.rank, next.rank);
    out.atoms.push_back(std::move(next.atoms.front()));
  }
  return out.atoms.empty() ? one(Condition::always()) : out;
}

/// What stands right of the last `*` label is a suffix.
Triggers of_labels(const Condition& c) {
  const std::string_view text = c.text;
  const std::size_t star = text.rfind('*');
  if (star == std::string_view::npos) return one(Condition::domain(text));
  if (star + 2 < text.size()) return one(Condition::domain_below(text.substr(star + 2)));
  return keyword(longest_literal(text));
}

Triggers of_any(const Condition& c, SetRanks* sets) {
  Triggers out;
  for (const Condition& child : c.children) {
    Triggers next = triggers_of(child, sets);
    out.rank = std::max(out.rank, next.rank);
    out.owner = out.owner || next.owner;
    out.atoms.insert(out.atoms.end(), std::make_move_iterator(next.atoms.begin()),
                     std::make_move_iterator(next.atoms.end()));
  }
  return out;
}

Triggers of_all(const Condition& c, SetRanks* sets) {
  Triggers best = triggers_of(c.children.front(), sets);
  for (std::size_t i = 1; i < c.children.size(); ++i) {
    Triggers next = triggers_of(c.children[i], sets);
    if (next.rank < best.rank) best = std::move(next);
  }
  return best;
}

}  // namespace

Triggers triggers_of(const Condition& c, SetRanks* sets) {
  if (c.op == Op::set) {
    Triggers out = one(c);
    out.rank = sets != nullptr ? sets->rank_of(c) : kSetRank;
    return out;
  }
  if (is_atom(c.op)) return one(c);
  if (is_owner(c.op)) {
    Triggers out;
    out.owner = true;
    out.rank = kOwner;
    return out;
  }
  switch (c.op) {
    case Op::all:
      return of_all(c, sets);
    case Op::any:
      return of_any(c, sets);
    case Op::domain_regex:
      return of_regex(c);
    case Op::domain_wildcard:
      return keyword(longest_literal(c.text));
    case Op::domain_labels:
      return of_labels(c);
    case Op::never:
      return {};
    default:
      return one(Condition::always());
  }
}

}  // namespace sluice::ruleset
