#include "dataplane/route/matcher.h"

#include <algorithm>

#include "proto/common/clock.h"

namespace sluice::route {
namespace {

ruleset::MacAddress mac_of(std::uint64_t low48) noexcept {
  ruleset::MacAddress out;
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = static_cast<std::byte>(low48 >> (8 * (out.size() - 1 - i)));
  return out;
}

ruleset::Key key_of(const FlowFacts& facts) noexcept {
  const Destination& to = *facts.destination;
  const ruleset::Known owner = facts.local_source ? ruleset::Known::no : ruleset::Known::none;
  ruleset::Key key{.name = facts.sniffed_host.empty() ? to.name : facts.sniffed_host,
                   .destination = to.ip,
                   .source = facts.source.ip,
                   .destination_port = to.port,
                   .source_port = facts.source.port,
                   .network = facts.network,
                   .in_type = static_cast<std::uint8_t>(facts.inbound_type),
                   .in_port = facts.inbound_port,
                   .dscp = facts.dscp.value_or(ruleset::kNoDscp),
                   .user = facts.user,
                   .inbound_name = facts.inbound_name,
                   .rematch_name = facts.rematch_name,
                   .owner = {owner, owner, 0, {}},
                   .utc_seconds = facts.utc_seconds};
  using ruleset::Known;
  key.protocol_known = facts.protocol ? Known::yes : facts.can_speak ? Known::no : Known::none;
  key.protocol = static_cast<std::uint8_t>(facts.protocol.value_or(contract::Protocol::none));
  if (facts.source_mac != kNoMac) key.source_mac = mac_of(facts.source_mac);
  return key;
}

}  // namespace

Matcher::Matcher(const Snapshot& snapshot, const FlowFacts& facts, TraceSink* trace) noexcept
    : snapshot_(snapshot),
      facts_(facts),
      trace_(trace == nullptr ? std::nullopt
                              : std::optional<Trace>(std::in_place, snapshot, *trace)),
      entry_(facts.entry),
      match_(snapshot.rules(), key_of(facts), snapshot.match_tools(trace_ ? &*trace_ : nullptr),
             facts.entry) {}

Matcher::Ask Matcher::run() noexcept {
  if (state_ == State::decided) return Ask::decided;
  if (state_ == State::wants_address) set_addresses({});
  if (state_ == State::wants_owner) set_owner({});
  if (state_ == State::wants_protocol) set_protocol(contract::Protocol::none);
  if (state_ == State::fresh) {
    if (decide_without_rules()) return Ask::decided;
    if (trace_) trace_->begin(*facts_.destination, match_.absent(), entry_);
  }
  state_ = State::walking;
  return walk_rules();
}

bool Matcher::decide_without_rules() noexcept {
  const contract::Manifest& m = snapshot_.manifest();
  if (facts_.listener_outbound) {
    if (trace_) trace_->skips_rules("listener", "the listener names its outbound");
    finish(snapshot_.resolve(*facts_.listener_outbound, facts_.network));
    return true;
  }
  if (m.mode == contract::Mode::rule) return false;
  const bool direct = m.mode == contract::Mode::direct;
  if (trace_) trace_->skips_rules("mode", direct ? "mode is direct" : "mode is global");
  finish(snapshot_.resolve(direct ? m.direct : m.global, facts_.network));
  return true;
}

Matcher::Ask Matcher::walk_rules() noexcept {
  while (true) {
    const ruleset::Match::Step step = match_.next();
    switch (step.outcome) {
      case ruleset::Match::Outcome::needs_address:
      case ruleset::Match::Outcome::needs_owner:
      case ruleset::Match::Outcome::needs_protocol:
        return wait_for(step);
      case ruleset::Match::Outcome::line:
        if (take_position(step.position)) return Ask::decided;
        break;
      case ruleset::Match::Outcome::end:
        if (trace_)
          trace_->unmatched();
        else
          snapshot_.count_unmatched(facts_.worker, entry_);
        finish(snapshot_.resolve(snapshot_.manifest().direct, facts_.network));
        return Ask::decided;
    }
  }
}

Matcher::Ask Matcher::wait_for(const ruleset::Match::Step& step) noexcept {
  needs_process_ = step.process;
  if (trace_) trace_->asks(step, *facts_.destination);
  switch (step.outcome) {
    case ruleset::Match::Outcome::needs_address:
      state_ = State::wants_address;
      return Ask::needs_address;
    case ruleset::Match::Outcome::needs_protocol:
      state_ = State::wants_protocol;
      return Ask::needs_protocol;
    default:
      state_ = State::wants_owner;
      return Ask::needs_owner;
  }
}

/// False when the flow goes on: with a later line, or from the start of a list.
bool Matcher::take_position(std::uint32_t position) noexcept {
  const std::uint64_t before = trace_ ? monotonic_ns() : 0;
  const ruleset::Slot slot = snapshot_.rules().slot(position);
  Route route = snapshot_.resolve(snapshot_.target(slot.line), facts_.network);
  if (trace_) trace_->line(slot, route.refused, monotonic_ns() - before);
  switch (route.refused) {
    case Refused::pass:
    case Refused::no_udp:
      match_.skip_to(slot.after);
      return false;
    case Refused::pass_rule:
      match_.skip_to(snapshot_.rules().behind_place(position));
      return false;
    default:
      break;
  }
  if (!trace_) snapshot_.count_hit(facts_.worker, slot);
  if (route.refused == Refused::rematch) {
    if (start_again(route)) return false;
    route.refused = Refused::loop;
  }
  route.rule_index = static_cast<std::int32_t>(slot.line);
  finish(route);
  return true;
}

/// False when the flow has been there before.
bool Matcher::start_again(const Route& route) noexcept {
  const auto taken = std::span(rematches_).first(rematch_count_);
  if (rematch_count_ == rematches_.size() || std::ranges::find(taken, route.leaf) != taken.end())
    return false;
  rematches_[rematch_count_++] = route.leaf;
  const contract::Outbound& to = snapshot_.outbound(route.leaf);
  if (to.rematch_name) facts_.rematch_name = *to.rematch_name;
  if (to.rematch_entry) entry_ = *to.rematch_entry;
  if (trace_) trace_->again(route, entry_);
  match_.restart(entry_, facts_.rematch_name);
  return true;
}

void Matcher::finish(const Route& route) noexcept {
  route_ = route;
  state_ = State::decided;
  if (trace_) trace_->decided(route);
}

void Matcher::set_addresses(std::span<const IpAddress> addresses, Errc why) noexcept {
  if (state_ != State::wants_address) return;
  state_ = State::walking;
  match_.set_address(addresses.empty() ? IpAddress{} : addresses.front());
  if (trace_) trace_->told(addresses, why);
}

void Matcher::set_owner(const Owner& owner) noexcept {
  if (state_ != State::wants_owner) return;
  state_ = State::walking;
  using ruleset::Known;
  match_.set_owner({owner.uid ? Known::yes : Known::none,
                    owner.process_path.empty() ? Known::none : Known::yes, owner.uid.value_or(0),
                    owner.process_path});
  if (trace_) trace_->told(owner);
}

void Matcher::set_protocol(contract::Protocol protocol) noexcept {
  if (state_ != State::wants_protocol) return;
  state_ = State::walking;
  match_.set_protocol(static_cast<std::uint8_t>(protocol));
  if (trace_) trace_->told(protocol);
}

}  // namespace sluice::route
