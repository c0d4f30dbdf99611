#include "dataplane/route/matcher.h"

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
  ruleset::Key key{.name = to.name,
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
  if (facts.source_mac != kNoMac) key.source_mac = mac_of(facts.source_mac);
  return key;
}

}  // namespace

Matcher::Matcher(const Snapshot& snapshot, const FlowFacts& facts, TraceSink* trace) noexcept
    : snapshot_(snapshot),
      facts_(facts),
      trace_(trace),
      match_(snapshot.rules(), key_of(facts),
             snapshot.match_tools(trace == nullptr ? nullptr : this)) {}

Matcher::Ask Matcher::run() noexcept {
  if (state_ == State::decided) return Ask::decided;
  if (state_ == State::wants_address) set_addresses({});
  if (state_ == State::wants_owner) set_owner({});
  if (state_ == State::fresh && decide_without_rules()) return Ask::decided;
  state_ = State::walking;
  return walk_rules();
}

bool Matcher::decide_without_rules() noexcept {
  const contract::Manifest& m = snapshot_.manifest();
  if (facts_.listener_outbound) {
    if (trace_ != nullptr) trace("listener", "the listener names its outbound; rules are skipped");
    finish(snapshot_.resolve(*facts_.listener_outbound, facts_.network));
    return true;
  }
  if (m.mode == contract::Mode::rule) return false;
  const bool direct = m.mode == contract::Mode::direct;
  if (trace_ != nullptr)
    trace("mode",
          direct ? "mode is direct; rules are skipped" : "mode is global; rules are skipped");
  finish(snapshot_.resolve(direct ? m.direct : m.global, facts_.network));
  return true;
}

Matcher::Ask Matcher::walk_rules() noexcept {
  while (true) {
    const ruleset::Match::Step step = match_.next();
    switch (step.outcome) {
      case ruleset::Match::Outcome::needs_address:
      case ruleset::Match::Outcome::needs_owner:
        return wait_for(step);
      case ruleset::Match::Outcome::line:
        if (take_position(step.position)) return Ask::decided;
        break;
      case ruleset::Match::Outcome::end:
        if (trace_ != nullptr) trace("rule", "no further rule matches: DIRECT");
        finish(snapshot_.resolve(snapshot_.manifest().direct, facts_.network));
        return Ask::decided;
    }
  }
}

Matcher::Ask Matcher::wait_for(const ruleset::Match::Step& step) noexcept {
  const bool address = step.outcome == ruleset::Match::Outcome::needs_address;
  state_ = address ? State::wants_address : State::wants_owner;
  needs_process_ = step.process;
  if (trace_ != nullptr) {
    asked_at_ns_ = monotonic_ns();
    const std::string line = line_text(snapshot_.rules().slot(step.position).line);
    if (address)
      trace("resolve", line + " needs the address of " + facts_.destination->name);
    else
      trace("owner", line + (step.process ? " needs the process" : " needs the user id") +
                         " that opened the connection");
  }
  return address ? Ask::needs_address : Ask::needs_owner;
}

/// False when the flow goes on to the next line.
bool Matcher::take_position(std::uint32_t position) noexcept {
  const ruleset::Slot slot = snapshot_.rules().slot(position);
  Route route = snapshot_.resolve(snapshot_.manifest().rules[slot.line].outbound, facts_.network);
  const bool taken = route.refused != Refused::pass && route.refused != Refused::no_udp;
  if (trace_ != nullptr) trace_line(slot, route, taken);
  if (!taken) {
    match_.skip_to(slot.after);
    return false;
  }
  route.rule_index = static_cast<std::int32_t>(slot.line);
  if (trace_ == nullptr) {
    snapshot_.count_hit(slot.line);
    if (slot.top != slot.line) snapshot_.count_hit(slot.top);
  }
  finish(route);
  return true;
}

void Matcher::finish(const Route& route) noexcept {
  route_ = route;
  state_ = State::decided;
  if (trace_ != nullptr) trace_chain();
}

void Matcher::set_addresses(std::span<const IpAddress> addresses) noexcept {
  if (state_ != State::wants_address) return;
  state_ = State::walking;
  match_.set_address(addresses.empty() ? IpAddress{} : addresses.front());
  if (trace_ == nullptr) return;
  trace("resolve",
        addresses.empty() ? "no address; lines that need one cannot match"
                          : "the address is " + addresses.front().to_string(),
        monotonic_ns() - asked_at_ns_);
}

void Matcher::set_owner(const Owner& owner) noexcept {
  if (state_ != State::wants_owner) return;
  state_ = State::walking;
  using ruleset::Known;
  match_.set_owner({owner.uid ? Known::yes : Known::none,
                    owner.process_path.empty() ? Known::none : Known::yes, owner.uid.value_or(0),
                    owner.process_path});
  if (trace_ == nullptr) return;
  std::string detail;
  if (owner.uid) detail = "the user id is " + std::to_string(*owner.uid);
  if (!owner.process_path.empty())
    detail += (detail.empty() ? "the process is " : ", the process is ") +
              std::string(owner.process_path);
  if (detail.empty()) detail = "no owner; lines that need one cannot match";
  trace("owner", std::move(detail), monotonic_ns() - asked_at_ns_);
}

}  // namespace sluice::route
