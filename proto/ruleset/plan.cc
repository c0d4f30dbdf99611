#include "proto/ruleset/plan.h"

#include <algorithm>

#include "proto/ruleset/bounds.h"
#include "proto/ruleset/simplify.h"
#include "proto/ruleset/triggers.h"

namespace sluice::ruleset {
namespace {

/// The index that compares the other side with the same entries.
Kinds other_side(Kinds kinds) {
  constexpr Index pairs[][2] = {{Index::destination_v4, Index::source_v4},
                                {Index::destination_v6, Index::source_v6},
                                {Index::destination_tail_v4, Index::source_tail_v4},
                                {Index::destination_tail_v6, Index::source_tail_v6},
                                {Index::destination_port, Index::source_port}};
  Kinds out = kinds;
  for (const auto& [to, from] : pairs) {
    out &= ~(kind_bit(to) | kind_bit(from));
    if ((kinds & kind_bit(to)) != 0) out |= kind_bit(from);
    if ((kinds & kind_bit(from)) != 0) out |= kind_bit(to);
  }
  return out;
}

}  // namespace

Plan::Plan(const Builder::Source& source)
    : programs(static_cast<std::uint32_t>(source.zones.size())), source_(source) {}

Status Plan::make() {
  refs.resize_sets(source_.sets.size());
  if (const Status opened = open_groups(); !opened) return opened;
  std::size_t first = 0;  // position at which the current line of the list began
  for (std::size_t i = 0; i < source_.items.size(); ++i) {
    const Builder::Item& item = source_.items[i];
    if (begins_a_line(i)) {
      close_line(first);
      first = slots.size();
    }
    refs.add_item(static_cast<std::uint32_t>(slots.size()));
    if (const Status added = add_item(item); !added) return added;
    if (slots.size() > kMaxLines) return fail(Errc::too_large);
  }
  close_line(first);
  close_groups();
  if (programs.sets().size() > kMaxSetRefs) return fail(Errc::too_large);
  close_sets();
  std::ranges::sort(resolve);
  resolve.erase(std::ranges::unique(resolve).begin(), resolve.end());
  return {};
}

Status Plan::open_groups() {
  if (source_.starts.size() > kMaxEntries) return fail(Errc::too_large);
  std::vector<std::uint32_t> depth;
  for (const Builder::Group& g : source_.groups) {
    const auto number = static_cast<std::uint32_t>(groups.size());
    groups.push_back({g.line, g.outer, 0});
    outermost_.push_back(g.outer == kNone ? number : outermost_[g.outer]);
    depth.push_back(g.outer == kNone ? 1 : depth[g.outer] + 1);
    if (depth.back() > kMaxDepth) return fail(Errc::malformed);
  }
  return {};
}

std::uint32_t Plan::top_of(const Builder::Item& item) const {
  return item.group == kNone ? item.line : groups[outermost_[item.group]].line;
}

/// Whether the item belongs to another line of its list than the one before; notes where entries
/// begin.
bool Plan::begins_a_line(std::size_t item) {
  const std::size_t known = starts.size();
  while (starts.size() < source_.starts.size() && source_.starts[starts.size()] == item)
    starts.push_back(static_cast<std::uint32_t>(slots.size()));
  if (item == 0) return false;
  const Builder::Item& here = source_.items[item];
  const Builder::Item& before = source_.items[item - 1];
  if (starts.size() != known || (here.group == kNone) != (before.group == kNone)) return true;
  return here.group == kNone ? here.line != before.line
                             : outermost_[here.group] != outermost_[before.group];
}

/// A group ends behind its last position; an empty one has no end, and nothing names it.
void Plan::close_groups() {
  starts.resize(source_.starts.size(), static_cast<std::uint32_t>(slots.size()));
  for (std::uint32_t p = 0; p < slots.size(); ++p)
    for (std::uint32_t g = slots[p].group; g != kNone; g = groups[g].outer) groups[g].end = p + 1;
}

/// A target that passes goes on behind the line.
void Plan::close_line(std::size_t first) {
  for (std::size_t p = first; p < slots.size(); ++p)
    slots[p].after = static_cast<std::uint32_t>(slots.size());
}

void Plan::close_sets() {
  const auto position_count = static_cast<std::uint32_t>(slots.size());
  for (std::uint32_t i = 0; i < programs.sets().size(); ++i) {
    const ProgramWriter::SetUse use = programs.sets()[i];
    const Builder::Set& set = source_.sets[use.set];
    const bool swapped = use.side == Compared::source;
    refs.add_use({use.set}, use.side, position_count + i);
    kinds.push_back((swapped ? other_side(set.kinds) : set.kinds) |
                    (set.asks && !swapped ? View::kSetAsks : 0));
  }
  refs.close();
}

std::uint32_t Plan::next_position(const Builder::Item& item) {
  slots.push_back({item.line, top_of(item), 0, item.group});
  return static_cast<std::uint32_t>(slots.size() - 1);
}

Status Plan::add_item(const Builder::Item& item) {
  if (item.condition == kNone) {
    const std::uint32_t position = next_position(item);
    if (item.asks) resolve.push_back(position);
    return {};
  }
  item_ = &item;
  const Result<Condition> whole = with_entries(source_.conditions[item.condition]);
  if (!whole) return fail(whole.error());
  return add_condition(simplify(*whole));
}

/// Sets together with those of their entries that need programs.
Result<Condition> Plan::with_entries(const Condition& c) const {
  if (c.op == Op::set) {
    if (c.first >= source_.sets.size()) return fail(Errc::malformed);
    const Builder::Set& set = source_.sets[c.first];
    Condition::List parts;
    if (set.kinds != 0) parts.push_back(c);
    for (const Condition& entry : set.conditional)
      parts.push_back(adapted(entry, c.resolve, c.side));
    return Condition::any(std::move(parts));
  }
  Condition out = c;
  for (Condition& child : out.children) {
    Result<Condition> whole = with_entries(child);
    if (!whole) return fail(whole.error());
    child = std::move(*whole);
  }
  return out;
}

bool Plan::is_plain(const Condition& part) const {
  return part.op == Op::set || is_atom(part.op);
}

/// It may need an address or an owner that is not known.
bool Plan::asks(const Condition& part) const {
  if (part.op == Op::set) return part.resolve && source_.sets[part.first].asks;
  if (is_owner(part.op) || part.resolve) return true;
  return std::ranges::any_of(part.children, [this](const Condition& c) { return asks(c); });
}

/// An answer that another part asks for may make it hold.
bool Plan::sees_answers(const Condition& part) const {
  constexpr Kinds kAddresses = kind_bit(Index::destination_v4) | kind_bit(Index::destination_v6) |
                               kind_bit(Index::destination_tail_v4) |
                               kind_bit(Index::destination_tail_v6);
  if (part.op == Op::set) {
    const Kinds held = source_.sets[part.first].kinds;
    return ((part.side == Compared::source ? other_side(held) : held) & kAddresses) != 0;
  }
  if (is_owner(part.op) || part.op == Op::destination || part.op == Op::destination_suffix)
    return true;
  return std::ranges::any_of(part.children, [this](const Condition& c) { return sees_answers(c); });
}

Status Plan::add_condition(const Condition& c) {
  Condition::List plain;
  Condition::List quiet;   // need a program, ask for nothing
  Condition::List asking;  // and what an answer may change
  const std::span<const Condition> parts =
      c.op == Op::any ? std::span<const Condition>(c.children) : std::span(&c, 1);
  const bool any_asks = asks(c);
  for (const Condition& part : parts) {
    if (part.op == Op::never) continue;
    (any_asks && sees_answers(part) ? asking : is_plain(part) ? plain : quiet).push_back(part);
  }
  for (const Condition& part : quiet)
    if (const Status added = add_program(part); !added) return added;
  const auto is_plain_part = [this](const Condition& part) { return is_plain(part); };
  if (std::ranges::all_of(asking, is_plain_part)) {
    plain.insert(plain.end(), asking.begin(), asking.end());
    asking.clear();
  }
  // A line that can never match keeps its place.
  if (!plain.empty() || (quiet.empty() && asking.empty())) {
    const std::uint32_t position = next_position(*item_);
    for (const Condition& part : plain) hold(position, part);
  }
  if (asking.empty()) return {};
  return add_program(asking.size() == 1 ? asking.front() : Condition::any(std::move(asking)));
}

Status Plan::add_program(const Condition& c) {
  const std::uint32_t position = next_position(*item_);
  const Triggers triggers = triggers_of(c);
  for (const Condition& atom : triggers.atoms) hold(position, atom);
  if (triggers.owner) entries.add_list(Holder::of(Holder::Kind::position, position), Index::owner);
  return programs.add(position, c);
}

/// The position stands in the indexes under this atom or set.
void Plan::hold(std::uint32_t position, const Condition& part) {
  if (part.resolve && asks(part)) resolve.push_back(position);
  if (part.op == Op::set)
    refs.add_use({part.first}, part.side, position);
  else
    entries.add(Holder::of(Holder::Kind::position, position), part);
}

}  // namespace sluice::ruleset
