#include "proto/ruleset/plan.h"

#include <algorithm>

#include "proto/ruleset/bounds.h"
#include "proto/ruleset/describe.h"
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
    : source_(source), programs(static_cast<std::uint32_t>(source.zones.size()), uses) {}

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
  if (uses.uses().size() > kMaxSetRefs) return fail(Errc::too_large);
  if (const Status closed = close_sets(); !closed) return closed;
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

/// Refs of sets stand behind the positions, those of their parts behind all sets.
Status Plan::close_sets() {
  const auto first_set = static_cast<std::uint32_t>(slots.size());
  const auto first_part = static_cast<std::uint32_t>(first_set + uses.uses().size());
  for (std::uint32_t i = 0; i < uses.uses().size(); ++i) {
    const SetUses::Use& use = uses.uses()[i];
    const Builder::Set& set = source_.sets[use.set];
    const bool swapped = use.side == Compared::source;
    refs.add_use({use.set}, use.side, first_set + i);
    Kinds of_parts = 0;
    if (const Status added = add_parts(use, first_part, of_parts); !added) return added;
    sets.push_back((swapped ? other_side(set.kinds) : set.kinds) |
                   (set.asks && !swapped ? View::kSetAsks : 0));
    sets.push_back(of_parts | (use.asks ? View::kSetAsks : 0));
    sets.push_back(use.first_part);
  }
  part_count = static_cast<std::uint32_t>(uses.parts().size());
  refs.close();
  return {};
}

Status Plan::add_parts(const SetUses::Use& use, std::uint32_t first_ref, Kinds& kinds) {
  for (std::uint32_t n = use.first_part; n < use.first_part + use.part_count; ++n) {
    const SetUses::Part& part = uses.parts()[n];
    const Holder holder = Holder::of(Holder::Kind::part, n);
    refs.add_part(use.positions, first_ref + n);
    bool taken = false;
    const Status written = write_program(first_ref + n, part.condition, part.triggers, taken);
    if (!written) return written;
    if (!taken) continue;
    for (const Condition& atom : part.triggers.atoms) {
      kinds |= entries.add(holder, atom);
      if (atom.resolve) resolve.push_back(first_ref + n);
    }
    if (!part.triggers.owner) continue;
    entries.add_list(holder, Index::owner);
    kinds |= kind_bit(Index::owner);
  }
  return {};
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
  const Result<Condition> known = without_empty_sets(source_.conditions[item.condition]);
  if (!known) return fail(known.error());
  return add_condition(simplify(*known));
}

Result<Condition> Plan::without_empty_sets(const Condition& c) const {
  if (c.op == Op::set) {
    if (c.first >= source_.sets.size()) return fail(Errc::malformed);
    const Builder::Set& set = source_.sets[c.first];
    return set.kinds == 0 && set.conditional.empty() ? Condition::never() : c;
  }
  Condition out = c;
  for (Condition& child : out.children) {
    Result<Condition> known = without_empty_sets(child);
    if (!known) return fail(known.error());
    child = std::move(*known);
  }
  return out;
}

/// One index, or several, hold it.
bool Plan::is_plain(const Condition& part) const {
  return part.op == Op::set ? source_.sets[part.first].conditional.empty() : is_atom(part.op);
}

/// It may need an address, an owner or a protocol that is not known.
bool Plan::asks(const Condition& part) const {
  if (part.op == Op::set) {
    const SetUses::Traits& entries_of = uses.traits(part);
    const bool address = source_.sets[part.first].asks || entries_of.asks_address;
    return entries_of.asks_flow || (part.resolve && address);
  }
  if (is_owner(part.op) || part.op == Op::protocol || part.resolve) return true;
  return std::ranges::any_of(part.children, [this](const Condition& c) { return asks(c); });
}

/// An answer that another part asks for may make it hold.
bool Plan::sees_answers(const Condition& part) const {
  if (part.op == Op::set) return has_addresses(part) || uses.traits(part).sees_answers;
  if (is_owner(part.op) || part.op == Op::protocol || part.op == Op::destination ||
      part.op == Op::destination_suffix)
    return true;
  return std::ranges::any_of(part.children, [this](const Condition& c) { return sees_answers(c); });
}

/// Its indexes hold destination addresses.
bool Plan::has_addresses(const Condition& set) const {
  constexpr Kinds kAddresses = kind_bit(Index::destination_v4) | kind_bit(Index::destination_v6) |
                               kind_bit(Index::destination_tail_v4) |
                               kind_bit(Index::destination_tail_v6);
  const Kinds held = source_.sets[set.first].kinds;
  return ((set.side == Compared::source ? other_side(held) : held) & kAddresses) != 0;
}

/// Where the parts of an OR go.
struct Plan::Division {
  Condition::List plain;   // into indexes, under one position
  Condition::List quiet;   // a program and a position each
  Condition::List asking;  // into one program: they ask, or an answer changes them
};

/// A set with entries that need programs, apart: its indexes, and each of those entries.
void Plan::take_apart(const Condition& set, Condition::List& indexed, Division& to) const {
  if (source_.sets[set.first].kinds != 0) indexed.push_back(set);
  for (const Condition& entry : source_.sets[set.first].conditional)
    to.quiet.push_back(adapted(entry, set.resolve, set.side));
}

Plan::Division Plan::divide(const Condition& c) const {
  const std::span<const Condition> parts =
      c.op == Op::any ? std::span<const Condition>(c.children) : std::span(&c, 1);
  const bool any_asks = asks(c);
  Division out;
  Condition::List mixed;  // sets of which only the indexes see answers
  for (const Condition& part : parts) {
    if (part.op == Op::never) continue;
    const bool sees = any_asks && sees_answers(part);
    if (part.op != Op::set || is_plain(part))
      (sees ? out.asking : is_plain(part) ? out.plain : out.quiet).push_back(part);
    else if (!sees)
      take_apart(part, out.plain, out);
    else
      (uses.traits(part).sees_answers ? out.asking : mixed).push_back(part);
  }
  const bool no_program =
      std::ranges::all_of(out.asking, [this](const Condition& part) { return is_plain(part); });
  for (const Condition& set : mixed) {
    if (no_program)
      take_apart(set, out.plain, out);
    else
      out.asking.push_back(set);
  }
  if (!no_program) return out;
  out.plain.insert(out.plain.end(), out.asking.begin(), out.asking.end());
  out.asking.clear();
  return out;
}

Status Plan::add_condition(const Condition& c) {
  Division parts = divide(c);
  for (const Condition& part : parts.quiet)
    if (const Status added = add_program(part); !added) return added;
  // A line that can never match keeps its place.
  if (!parts.plain.empty() || (parts.quiet.empty() && parts.asking.empty())) {
    const std::uint32_t position = next_position(*item_);
    for (const Condition& part : parts.plain) hold(position, part);
  }
  if (parts.asking.empty()) return {};
  return add_program(parts.asking.size() == 1 ? parts.asking.front()
                                              : Condition::any(std::move(parts.asking)));
}

Status Plan::add_program(const Condition& c) {
  const std::uint32_t position = next_position(*item_);
  const Triggers triggers = triggers_for(c);
  bool taken = false;
  if (const Status written = write_program(position, c, triggers, taken); !written) return written;
  if (taken) lead_to(position, triggers);
  return {};
}

/// A set whose parts lead to many positions already leads to no more.
Triggers Plan::triggers_for(const Condition& c) {
  Triggers out = triggers_of(c, &uses);
  for (const Condition& atom : out.atoms)
    if (atom.op == Op::set && uses.is_full(uses.number_of(atom)))
      return triggers_of(Condition::always());
  return out;
}

/// What does not fit is left out: nothing leads to the ref, and its program says so. `taken`: it
/// is not.
Status Plan::write_program(std::uint32_t ref, const Condition& c, const Triggers& triggers,
                           bool& taken) {
  Status written = take_steps(c, triggers);
  if (written) written = programs.add(ref, c);
  taken = written.has_value();
  if (taken || written.error().code != Errc::too_large) return written;
  left_out.add(describe_condition(c));
  return programs.add(ref, Condition::never());
}

/// Takes the steps of its patterns, for each index and literal that leads to them. A pattern that
/// several lines use counts once: how many those are is the user's choice. Errors: too_large
/// (kMaxSteps), malformed.
Status Plan::take_steps(const Condition& c, const Triggers& triggers) {
  for (const Condition& atom : triggers.atoms) {
    const bool literal = atom.op == Op::domain_keyword;
    if (!literal && atom.op != Op::always) continue;
    if (const Status taken = take_steps(c, literal ? atom.text : ""); !taken) return taken;
  }
  // No literal has such a byte.
  return triggers.owner ? take_steps(c, "\x01") : Status{};
}

Status Plan::take_steps(const Condition& c, const std::string& lead) {
  for (const Condition& child : c.children)
    if (const Status taken = take_steps(child, lead); !taken) return taken;
  const Result<std::uint32_t> steps = programs.steps_of(c);
  if (!steps) return fail(steps.error());
  if (*steps == 0) return {};
  Steps& at = steps_[lead];
  const std::string pattern = static_cast<char>(c.op) + c.text;
  if (at.counted.count(pattern) != 0) return {};
  if (at.taken + *steps > kMaxSteps) return fail(Errc::too_large);
  at.taken += *steps;
  at.counted.insert(pattern);
  return {};
}

/// The position stands in the indexes under its triggers.
void Plan::lead_to(std::uint32_t position, const Triggers& triggers) {
  for (const Condition& atom : triggers.atoms) {
    hold(position, atom);
    if (atom.op != Op::set) continue;
    const std::uint32_t use = uses.number_of(atom);
    if (uses.uses()[use].asks) resolve.push_back(position);
    uses.lead_to(use, position);
  }
  if (triggers.owner) entries.add_list(Holder::of(Holder::Kind::position, position), Index::owner);
}

/// The position stands in the indexes under this atom, or under what indexes hold of this set.
void Plan::hold(std::uint32_t position, const Condition& part) {
  if (part.op == Op::set) {
    if (part.resolve && source_.sets[part.first].asks) resolve.push_back(position);
    refs.add_use({part.first}, part.side, position);
    return;
  }
  if (part.resolve) resolve.push_back(position);
  entries.add(Holder::of(Holder::Kind::position, position), part);
}

}  // namespace sluice::ruleset
