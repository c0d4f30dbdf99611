#include "proto/ruleset/builder.h"

#include <algorithm>

#include "proto/ruleset/bounds.h"
#include "proto/ruleset/name_index.h"
#include "proto/ruleset/simplify.h"

namespace sluice::ruleset {
namespace {

constexpr std::uint8_t kSuffix = kWhole | kChild | kDeeper;

/// An atom, or atoms joined by OR.
bool is_plain(const Condition& c) {
  if (c.op != Op::any) return is_atom(c.op);
  return std::ranges::all_of(c.children, [](const Condition& child) { return is_atom(child.op); });
}

std::span<const Condition> parts(const Condition& c) {
  return c.op == Op::any ? std::span<const Condition>(c.children) : std::span(&c, 1);
}

bool holds_a_set(const Condition& c) {
  return c.op == Op::set || std::ranges::any_of(c.children, holds_a_set);
}

}  // namespace

/// The next line of the list, which has no condition.
Holder Builder::next_item() {
  const auto item = static_cast<std::uint32_t>(source_.items.size());
  if (group_ != kNone || !source_.starts.empty()) wrong_ = true;
  source_.items.push_back({next_line_, kNone, kNone, false});
  line_count_ = std::max(line_count_, ++next_line_);
  return Holder::of(Holder::Kind::item, item);
}

void Builder::add_item(std::uint32_t line, const Condition& condition) {
  Condition simple = simplify(condition);
  Item item{line, group_, kNone, false};
  line_count_ = std::max(line_count_, line + 1);
  const Holder holder =
      Holder::of(Holder::Kind::item, static_cast<std::uint32_t>(source_.items.size()));
  if (is_plain(simple)) {
    for (const Condition& part : parts(simple)) {
      source_.entries.add(holder, part);
      item.asks = item.asks || part.resolve;
    }
  } else if (simple.op != Op::never) {
    item.condition = static_cast<std::uint32_t>(source_.conditions.size());
    source_.conditions.push_back(std::move(simple));
  }
  source_.items.push_back(item);
}

void Builder::line(const Condition& condition) {
  if (group_ != kNone || !source_.starts.empty()) wrong_ = true;
  add_item(next_line_, condition);
  ++next_line_;
}

void Builder::open_group(std::uint32_t line) {
  source_.groups.push_back({line, group_});
  group_ = static_cast<std::uint32_t>(source_.groups.size() - 1);
  line_count_ = std::max(line_count_, line + 1);
}

void Builder::begin_group() {
  if (group_ != kNone || !source_.starts.empty()) wrong_ = true;
  open_group(next_line_++);
}

void Builder::begin_group(std::uint32_t line) {
  if ((group_ == kNone && source_.starts.empty()) || line >= kMaxLines) {
    wrong_ = true;
    line = 0;
  }
  open_group(line);
}

void Builder::place(std::uint32_t line, const Condition& condition) {
  if ((group_ == kNone && source_.starts.empty()) || line >= kMaxLines) {
    wrong_ = true;
    return;
  }
  add_item(line, condition);
}

void Builder::end_group() {
  if (group_ == kNone) {
    wrong_ = true;
    return;
  }
  group_ = source_.groups[group_].outer;
}

void Builder::begin_entry() {
  if (group_ != kNone) wrong_ = true;
  source_.starts.push_back(static_cast<std::uint32_t>(source_.items.size()));
}

void Builder::domain(std::string_view name) {
  source_.entries.add_name(next_item(), name, kWhole);
}

void Builder::domain_suffix(std::string_view name) {
  source_.entries.add_name(next_item(), name, kSuffix);
}

void Builder::domain_keyword(std::string_view keyword) {
  source_.entries.add_keyword(next_item(), keyword);
}

void Builder::destination(const Prefix& prefix, Resolve resolve) {
  source_.entries.add_prefix(next_item(), prefix, Index::destination_v4);
  source_.items.back().asks = resolve == Resolve::yes;
}

void Builder::source(const Prefix& prefix) {
  source_.entries.add_prefix(next_item(), prefix, Index::source_v4);
}

void Builder::destination_ports(std::span<const PortRange> ranges) {
  line(Condition::destination_ports(ranges));
}

void Builder::source_ports(std::span<const PortRange> ranges) {
  line(Condition::source_ports(ranges));
}

void Builder::network(Network network) {
  line(Condition::network(network));
}

void Builder::in_types(std::span<const std::uint8_t> types) {
  line(Condition::in_types(types));
}

void Builder::always() {
  line(Condition::always());
}

void Builder::never() {
  next_item();
}

SetId Builder::add_set() {
  source_.sets.emplace_back();
  return {static_cast<std::uint32_t>(source_.sets.size() - 1)};
}

Holder Builder::holder_of(SetId set) {
  if (set.index >= source_.sets.size()) {
    wrong_ = true;
    add_set();
    set.index = 0;
  }
  return Holder::of(Holder::Kind::set, set.index);
}

void Builder::note(SetId set, Kinds kinds, bool asks) {
  if (set.index >= source_.sets.size()) return;
  source_.sets[set.index].kinds |= kinds;
  if (asks) source_.sets[set.index].asks = true;
}

void Builder::domain(SetId set, std::string_view name) {
  note(set, source_.entries.add_name(holder_of(set), name, kWhole), false);
}

void Builder::domain_suffix(SetId set, std::string_view name) {
  note(set, source_.entries.add_name(holder_of(set), name, kSuffix), false);
}

void Builder::destination(SetId set, const Prefix& prefix, Resolve resolve) {
  const Kinds kinds = source_.entries.add_prefix(holder_of(set), prefix, Index::destination_v4);
  note(set, kinds, resolve == Resolve::yes);
}

void Builder::add(SetId set, const Condition& entry) {
  const Holder holder = holder_of(set);
  if (holds_a_set(entry)) {
    wrong_ = true;
    return;
  }
  const Condition simple = simplify(entry);
  for (const Condition& part : parts(simple)) {
    if (is_atom(part.op))
      note(set, source_.entries.add(holder, part), part.resolve);
    else if (part.op != Op::never)
      source_.sets[holder.number()].conditional.push_back(part);
  }
}

ZoneId Builder::add_zone(Zone zone) {
  source_.zones.push_back(std::move(zone));
  if (source_.zones.size() > kMaxZones) wrong_ = true;
  return {static_cast<std::uint16_t>(source_.zones.size() - 1)};
}

}  // namespace sluice::ruleset
