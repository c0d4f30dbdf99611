#include "proto/ruleset/set_uses.h"

#include <algorithm>

#include "proto/ruleset/bounds.h"
#include "proto/ruleset/describe.h"
#include "proto/ruleset/simplify.h"

namespace sluice::ruleset {
namespace {

/// Each costs a word in the lists of every part.
constexpr std::size_t kMaxLed = 64;

void look_at(const Condition& c, Compared side, SetUses::Traits& out) {
  const bool to_source = side == Compared::source;
  const bool to = c.op == Op::destination || c.op == Op::destination_suffix;
  const bool from = c.op == Op::source || c.op == Op::source_suffix;
  if (to_source ? from : to) out.sees_answers = true;
  if (c.resolve && !to_source) out.asks_address = true;
  if (is_owner(c.op) || c.op == Op::protocol) out.asks_flow = out.sees_answers = true;
  for (const Condition& child : c.children) look_at(child, side, out);
}

}  // namespace

SetUses::SetUses(const std::vector<Builder::Set>& sets, LeftOut& left_out)
    : sets_(sets), left_out_(left_out), traits_(2 * sets.size()) {
  for (std::size_t i = 0; i < sets.size(); ++i)
    for (const Compared side : {Compared::destination, Compared::source})
      for (const Condition& entry : sets[i].conditional)
        look_at(entry, side, traits_[2 * i + static_cast<std::size_t>(side)]);
}

std::uint32_t SetUses::number_of(const Condition& set) {
  const bool resolve = set.resolve && traits(set).asks_address;
  const auto next = static_cast<std::uint32_t>(uses_.size());
  const auto [found, added] = numbers_.try_emplace(Key{set.first, set.side, resolve}, next);
  if (added) {
    uses_.push_back({.set = set.first, .side = set.side, .positions = {}});
    add_parts(uses_.back(), resolve);
  }
  return found->second;
}

void SetUses::add_parts(Use& use, bool resolve) {
  const Builder::Set& set = sets_[use.set];
  use.first_part = static_cast<std::uint32_t>(parts_.size());
  if (set.kinds != 0) use.rank = kSetRank;
  use.asks = resolve;
  for (const Condition& entry : set.conditional) {
    if (parts_.size() == kMaxParts) {
      left_out_.add(describe_condition(entry));
      continue;
    }
    Condition part = adapted(entry, resolve, use.side);
    Triggers triggers = triggers_of(part);
    use.rank = std::max(use.rank, triggers.rank);
    parts_.push_back({std::move(part), std::move(triggers)});
  }
  use.part_count = static_cast<std::uint32_t>(parts_.size()) - use.first_part;
}

bool SetUses::is_full(std::uint32_t use) const {
  return uses_[use].positions.size() >= kMaxLed;
}

void SetUses::lead_to(std::uint32_t use, std::uint32_t position) {
  std::vector<std::uint32_t>& positions = uses_[use].positions;
  if (uses_[use].part_count != 0 && (positions.empty() || positions.back() != position))
    positions.push_back(position);
}

}  // namespace sluice::ruleset
