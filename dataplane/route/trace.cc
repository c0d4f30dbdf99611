#include "dataplane/route/trace.h"

#include <algorithm>
#include <bit>
#include <initializer_list>
#include <utility>

#include "proto/common/clock.h"
#include "proto/common/error_text.h"
#include "proto/contract/rule_type.h"
#include "proto/ruleset/describe.h"

namespace sluice::route {
namespace {

/// An explanation travels in 256 steps (wire/bounds.h): the rest is for what decides.
constexpr std::size_t kMostMentioned = 160;
constexpr std::int64_t kMillisPerSecond = 1'000;

/// "users, DSCP values"; both families of addresses are one.
std::string names_of(std::uint32_t indexes) {
  std::string out;
  std::string_view last;
  for (; indexes != 0; indexes &= indexes - 1) {
    const std::string_view name =
        ruleset::describe(static_cast<ruleset::Index>(std::countr_zero(indexes)));
    if (name == last) continue;
    last = name;
    out += (out.empty() ? "" : ", ") + std::string(name);
  }
  return out;
}

constexpr std::uint32_t bits(std::initializer_list<ruleset::Index> indexes) {
  std::uint32_t out = 0;
  for (const ruleset::Index index : indexes) out |= 1U << static_cast<unsigned>(index);
  return out;
}

using ruleset::Index;
constexpr std::uint32_t kDestination =
    bits({Index::destination_v4, Index::destination_v6, Index::destination_tail_v4,
          Index::destination_tail_v6});
constexpr std::uint32_t kSource =
    bits({Index::source_v4, Index::source_v6, Index::source_tail_v4, Index::source_tail_v6});

/// What came of a look-up without addresses.
std::string no_address(Errc why) {
  switch (why) {
    case Errc::no_address:
      return "the DNS has no address";
    case Errc::timeout:
      return "the DNS did not answer in time";
    case Errc::unreachable:
      return "the control plane, which asks the DNS, is away";
    default:
      return "no address: " + describe(Error{why});
  }
}

}  // namespace

void Trace::say(std::string_view what, std::string detail, std::uint64_t ns) {
  sink_.step({std::string(what), std::move(detail), ns});
}

/// What a walk over thousands of candidates repeats.
void Trace::mention(std::string_view what, std::string detail, std::uint64_t ns) {
  if (mentioned_ < kMostMentioned) {
    ++mentioned_;
    say(what, std::move(detail), ns);
    return;
  }
  ++untold_;
  untold_ns_ += ns;
}

void Trace::say_untold() {
  if (untold_ == 0) return;
  say("more", std::to_string(untold_) + " further steps like these", untold_ns_);
  untold_ = 0;
  untold_ns_ = 0;
}

/// As people count: by the number that the manifest gives the line.
std::string Trace::number(std::uint32_t index) const {
  return range(index, index);
}

std::string Trace::range(std::uint32_t first, std::uint32_t last) const {
  const auto& rules = snapshot_.manifest().rules;
  const std::string& list = rules[last].list;
  const char* const plural = first == last ? "" : "s";
  std::string out = list.empty() ? "rule" : "sub-rule " + list + ", line";
  out += plural;
  out += " " + std::to_string(rules[first].number);
  if (first != last) out += " to " + std::to_string(rules[last].number);
  return out;
}

std::string Trace::name(std::uint32_t index) const {
  const contract::RuleLine& line = snapshot_.manifest().rules[index];
  std::string out = number(index) + " (" + std::string(contract::written_type(line.type));
  if (!line.payload.empty()) out += "," + line.payload;
  return out + ")";
}

std::string Trace::list_name(std::uint32_t entry) const {
  if (entry == 0) return "the first rule";
  const auto first = snapshot_.first_line(entry);
  return first ? number(*first) : "a sub-rule list without lines";
}

/// Lines of this list are passed from now on.
void Trace::walk(std::uint32_t entry) {
  next_line_ = snapshot_.first_line(entry).value_or(0);
  end_ = snapshot_.rules().window(entry).end;
}

void Trace::skips_rules(std::string_view what, std::string_view why) {
  say(what, std::string(why) + "; rules are skipped");
}

void Trace::begin(const Destination& destination, std::uint32_t absent, std::uint32_t entry) {
  walked_ = true;
  walk(entry);
  if (entry != 0) say("listener", "the listener's rules begin with " + list_name(entry));
  address_known_ = destination.ip.valid();
  if (!address_known_ && destination.has_name() && (absent & kDestination) != 0)
    say("not compared", names_of(absent & kDestination) + ", as long as that of " +
                            destination.name + " is not known");
  // Of addresses the other family is absent, which says nothing.
  const std::uint32_t others = absent & ~(kDestination | kSource);
  if (others != 0) say("not compared", names_of(others) + ": the flow has none");
}

void Trace::asks(const ruleset::Match::Step& step, const Destination& destination) {
  say_untold();
  const std::string line = name(snapshot_.rules().slot(step.position).line);
  if (step.outcome == ruleset::Match::Outcome::needs_address)
    say("resolve", line + " needs the address of " + destination.name);
  else if (step.outcome == ruleset::Match::Outcome::needs_protocol)
    say("sniff", line + " needs what the client's first bytes say that it speaks");
  else
    say("owner", line + (step.process ? " needs the process" : " needs the user id") +
                     " that opened the connection");
  asked_at_ns_ = monotonic_ns();
}

void Trace::told(std::span<const IpAddress> addresses, Errc why) {
  looked_up_ = true;
  std::string detail = no_address(why) + "; lines that need one cannot match";
  if (!addresses.empty()) {
    detail = "the address is " + addresses.front().to_string();
    if (addresses.size() > 1)
      detail += ", the first of " + std::to_string(addresses.size()) + "; the others do not count";
  }
  say("resolve", std::move(detail), monotonic_ns() - asked_at_ns_);
}

void Trace::told(const Owner& owner) {
  std::string detail;
  if (owner.uid) detail = "the user id is " + std::to_string(*owner.uid);
  if (!owner.process_path.empty())
    detail += (detail.empty() ? "the process is " : ", the process is ") +
              std::string(owner.process_path);
  if (detail.empty()) detail = "no owner; lines that need one cannot match";
  say("owner", std::move(detail), monotonic_ns() - asked_at_ns_);
}

void Trace::told(contract::Protocol protocol) {
  const std::string_view name = contract::protocol_name(protocol);
  say("sniff",
      name.empty() ? std::string("nothing is known of them; lines that need it cannot match")
                   : "it speaks " + std::string(name),
      monotonic_ns() - asked_at_ns_);
}

void Trace::asked(ruleset::Index index, std::uint32_t from, std::uint32_t position,
                  std::uint64_t ns) noexcept {
  const ruleset::View& rules = snapshot_.rules();
  std::string detail;
  if (from < end_) detail = "from " + number(rules.slot(from).top) + " on: ";
  detail += position == ruleset::kNone ? "no rule matches"
            : rules.programs().root(position) == ruleset::kNone
                ? name(rules.slot(position).line) + " is the first"
                : name(rules.slot(position).line) + " is the first that may match";
  mention(ruleset::describe(index), std::move(detail), ns);
}

/// A candidate whose condition was run; of one that matches the next step says so.
void Trace::tested(std::uint32_t position, ruleset::Truth truth, std::uint32_t leaf, bool held,
                   std::uint64_t ns) noexcept {
  const ruleset::View& rules = snapshot_.rules();
  std::string detail = name(rules.slot(position).line);
  switch (truth) {
    case ruleset::Truth::no:
      detail += " does not match";
      break;
    case ruleset::Truth::unknown:
      detail += " hangs on what is not known yet";
      break;
    case ruleset::Truth::yes:
      detail += " holds";
      break;
  }
  if (leaf != ruleset::kNone) {
    detail += ": " + ruleset::describe_node(rules, leaf);
    if (truth != ruleset::Truth::unknown) detail += held ? " holds" : " does not hold";
    const std::string clock = ruleset::describe_clock(rules, leaf, wall_ms() / kMillisPerSecond);
    if (!clock.empty()) detail += "; " + clock;
  }
  mention("condition", std::move(detail), ns);
}

void Trace::disabled(std::uint32_t line) noexcept {
  mention("rule", name(line) + " is disabled", 0);
}

/// The lines of the walked list between the last one and `top`.
void Trace::passed(std::uint32_t top) {
  if (top > next_line_)
    mention("rule",
            range(next_line_, top - 1) + (top - next_line_ == 1 ? " does" : " do") + " not match",
            0);
  next_line_ = std::max(next_line_, top + 1);
}

void Trace::line(const ruleset::Slot& slot, Refused refused, std::uint64_t ns) {
  passed(slot.top);
  const std::uint32_t target = snapshot_.target(slot.line);
  std::string detail = name(slot.line);
  for (std::uint32_t g = slot.group; g != ruleset::kNone; g = snapshot_.rules().group(g).outer)
    detail += " of " + name(snapshot_.rules().group(g).line);
  detail += " matches: " + snapshot_.outbound(target).name;
  switch (refused) {
    case Refused::pass:
      mention("rule", detail + ", which passes on to the next rule", ns);
      return;
    case Refused::pass_rule:
      mention("rule", detail + ", which passes on to the next line", ns);
      return;
    case Refused::no_udp:
      mention("rule", detail + ", which carries no UDP; on to the next rule", ns);
      return;
    default:
      say_untold();
      say("rule", std::move(detail), ns);
  }
}

void Trace::groups(const Route& route) {
  const auto chain = route.chain();
  for (std::size_t i = chain.size(); i-- > 1;)
    say("group",
        snapshot_.outbound(chain[i]).name + " uses " + snapshot_.outbound(chain[i - 1]).name);
}

void Trace::again(const Route& route, std::uint32_t entry) {
  groups(route);
  const contract::Outbound& rematch = snapshot_.outbound(route.leaf);
  std::string detail = rematch.name + " starts again with " + list_name(entry);
  if (rematch.rematch_name) detail += ", REMATCH-NAME " + *rematch.rematch_name;
  say("rematch", std::move(detail));
  walk(entry);
}

void Trace::unmatched() {
  say_untold();
  say("rule", "no further rule matches: DIRECT");
}

void Trace::decided(const Route& route) {
  if (walked_ && !looked_up_)
    say("resolve", address_known_ ? "not needed: the address is known"
                                  : "not needed: no line that was reached hangs on an address");
  groups(route);
  if (route.refused != Refused::none)
    say("refused",
        snapshot_.outbound(route.leaf).name + ": " + std::string(describe(route.refused)));
}

}  // namespace sluice::route
