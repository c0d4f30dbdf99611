#include "dataplane/route/snapshot.h"

#include <algorithm>

#include "proto/common/clock.h"

namespace sluice::route {
namespace {

std::optional<std::uint32_t> look_up(
    const std::unordered_map<std::string_view, std::uint32_t>& index, std::string_view name) {
  const auto found = index.find(name);
  if (found == index.end()) return std::nullopt;
  return found->second;
}

/// What only rules understand comes first: whether it carries UDP means nothing.
Refused refusal_of(contract::OutboundKind leaf, bool carries) noexcept {
  switch (leaf) {
    case contract::OutboundKind::pass:
      return Refused::pass;
    case contract::OutboundKind::pass_rule:
      return Refused::pass_rule;
    case contract::OutboundKind::rematch:
      return Refused::rematch;
    case contract::OutboundKind::unbuilt:
      return carries ? Refused::not_built : Refused::no_udp;
    default:
      return carries ? Refused::none : Refused::no_udp;
  }
}

}  // namespace

std::optional<std::uint32_t> Snapshot::find_outbound(std::string_view name) const noexcept {
  return look_up(outbound_by_name_, name);
}

const contract::Listener* Snapshot::find_listener(std::string_view name) const noexcept {
  for (const std::vector<contract::Listener>* list : {&manifest_.listeners, &leaving_}) {
    const auto found = std::ranges::find(*list, name, &contract::Listener::name);
    if (found != list->end()) return &*found;
  }
  return nullptr;
}

std::uint32_t Snapshot::choice(std::uint32_t group) const noexcept {
  return choices_[group].load(std::memory_order_relaxed);
}

Status Snapshot::select(std::uint32_t group, std::uint32_t position) const noexcept {
  if (group >= manifest_.outbounds.size()) return fail(Errc::invalid);
  // Only groups have members, so this refuses everything else as well.
  if (position >= outbound(group).members.size()) return fail(Errc::invalid);
  choices_[group].store(position, std::memory_order_relaxed);
  return {};
}

Status Snapshot::select(std::string_view group, std::string_view member) const noexcept {
  const auto index = find_outbound(group);
  if (!index) return fail(Errc::not_found);
  const auto& members = outbound(*index).members;
  const auto found =
      std::ranges::find_if(members, [&](std::uint32_t m) { return outbound(m).name == member; });
  if (found == members.end()) return fail(Errc::not_found);
  return select(*index, static_cast<std::uint32_t>(found - members.begin()));
}

Route Snapshot::resolve(std::uint32_t target, Network network) const noexcept {
  Route route;
  bool carries = true;
  std::uint32_t at = target;
  // build_snapshot() made sure that groups nest less than kMaxChain deep and have members.
  while (true) {
    const contract::Outbound& here = outbound(at);
    route.chain_items[route.chain_count++] = at;
    carries = carries && (network == Network::tcp || here.udp);
    if (here.kind != contract::OutboundKind::select) break;
    at = here.members[choice(at)];
  }
  std::reverse(route.chain_items.begin(), route.chain_items.begin() + route.chain_count);
  route.leaf = at;
  route.refused = refusal_of(outbound(at).kind, carries);
  return route;
}

ruleset::Match::Tools Snapshot::match_tools(ruleset::Observer* observer) const noexcept {
  return {&patterns_, disabled_->count() == 0 ? nullptr : disabled_.get(), observer};
}

Status Snapshot::set_disabled(std::uint32_t index, bool disabled) const noexcept {
  if (index >= manifest_.rules.size()) return fail(Errc::invalid);
  disabled_->set(index, disabled);
  return {};
}

std::optional<std::string_view> Snapshot::list_of(std::uint32_t entry) const noexcept {
  const ruleset::Window window = rules_.window(entry);
  if (window.first == window.end) return std::nullopt;
  const std::uint32_t line = rules_.slot(window.first).top;
  if (line >= manifest_.rules.size()) return std::nullopt;
  return manifest_.rules[line].list;
}

std::optional<std::uint32_t> Snapshot::first_line(std::uint32_t entry) const noexcept {
  const auto& rules = manifest_.rules;
  const ruleset::Window window = rules_.window(entry);
  if (window.first == window.end) return std::nullopt;
  std::uint32_t out = rules_.slot(window.first).top;
  if (out >= rules.size()) return std::nullopt;
  while (out > 0 && rules[out - 1].list == rules[out].list) --out;
  return out;
}

void Snapshot::count_hit(unsigned worker, const ruleset::Slot& slot) const noexcept {
  const auto now = static_cast<std::uint32_t>(wall_seconds());
  counts_->count(worker, slot.line, now);
  for (std::uint32_t g = slot.group; g != ruleset::kNone; g = rules_.group(g).outer)
    counts_->count(worker, rules_.group(g).line, now);
}

}  // namespace sluice::route
