#include "dataplane/route/matcher.h"

#include "proto/common/clock.h"

namespace sluice::route {
namespace {

ruleset::Key key_of(const FlowFacts& facts) noexcept {
  const Destination& to = *facts.destination;
  return {to.name,
          to.ip,
          facts.source.ip,
          to.port,
          facts.source.port,
          facts.network,
          static_cast<std::uint8_t>(facts.inbound_type)};
}

}  // namespace

Matcher::Matcher(const Snapshot& snapshot, const FlowFacts& facts, TraceSink* trace) noexcept
    : snapshot_(snapshot),
      facts_(facts),
      trace_(trace),
      match_(snapshot.rules(), key_of(facts), trace == nullptr ? nullptr : this) {}

Matcher::Ask Matcher::run() noexcept {
  if (state_ == State::decided) return Ask::decided;
  if (state_ == State::waiting) set_addresses({});
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
        state_ = State::waiting;
        if (trace_ != nullptr) {
          asked_at_ns_ = monotonic_ns();
          trace("resolve",
                line_text(step.position) + " needs the address of " + facts_.destination->name);
        }
        return Ask::needs_address;
      case ruleset::Match::Outcome::line:
        if (take_line(step.position)) return Ask::decided;
        break;
      case ruleset::Match::Outcome::end:
        if (trace_ != nullptr) trace("rule", "no further rule matches: DIRECT");
        finish(snapshot_.resolve(snapshot_.manifest().direct, facts_.network));
        return Ask::decided;
    }
  }
}

/// False when the flow goes on to the next line.
bool Matcher::take_line(std::uint32_t index) noexcept {
  Route route = snapshot_.resolve(snapshot_.manifest().rules[index].outbound, facts_.network);
  const bool taken = route.refused != Refused::pass && route.refused != Refused::no_udp;
  if (trace_ != nullptr) trace_line(index, route, taken);
  next_line_ = index + 1;
  if (!taken) return false;
  route.rule_index = static_cast<std::int32_t>(index);
  if (trace_ == nullptr) snapshot_.count_hit(index);
  finish(route);
  return true;
}

void Matcher::finish(const Route& route) noexcept {
  route_ = route;
  state_ = State::decided;
  if (trace_ != nullptr) trace_chain();
}

void Matcher::set_addresses(std::span<const IpAddress> addresses) noexcept {
  if (state_ != State::waiting) return;
  state_ = State::walking;
  match_.set_address(addresses.empty() ? IpAddress{} : addresses.front());
  if (trace_ == nullptr) return;
  trace("resolve",
        addresses.empty() ? "no address; lines that need one cannot match"
                          : "the address is " + addresses.front().to_string(),
        monotonic_ns() - asked_at_ns_);
}

}  // namespace sluice::route
