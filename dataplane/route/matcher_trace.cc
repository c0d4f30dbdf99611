// The words of explain; the decision itself is in matcher.cc.
#include "dataplane/route/matcher.h"
#include "proto/ruleset/describe.h"

namespace sluice::route {

void Matcher::trace(std::string_view what, std::string detail, std::uint64_t ns) {
  trace_->step({std::string(what), std::move(detail), ns});
}

/// As people count: by the number that the manifest gives the line.
std::string Matcher::number_text(std::uint32_t index) const {
  return std::to_string(snapshot_.manifest().rules[index].number);
}

std::string Matcher::line_text(std::uint32_t index) const {
  const contract::RuleLine& line = snapshot_.manifest().rules[index];
  std::string out = "rule " + number_text(index) + " (" + line.type;
  if (!line.payload.empty()) out += "," + line.payload;
  return out + ")";
}

void Matcher::asked(ruleset::Index index, std::uint32_t from, std::uint32_t position,
                    std::uint64_t ns) noexcept {
  const ruleset::View& rules = snapshot_.rules();
  std::string detail;
  if (from < rules.position_count())
    detail = "from rule " + number_text(rules.slot(from).top) + " on: ";
  detail += position == ruleset::kNone ? "no rule matches"
            : rules.programs().root(position) == ruleset::kNone
                ? line_text(rules.slot(position).line) + " is the first"
                : line_text(rules.slot(position).line) + " is the first that may match";
  trace(ruleset::describe(index), std::move(detail), ns);
}

/// A candidate whose condition was run; of one that matches the next step says so.
void Matcher::tested(std::uint32_t position, ruleset::Truth truth, std::uint32_t leaf, bool held,
                     std::uint64_t ns) noexcept {
  const ruleset::View& rules = snapshot_.rules();
  std::string detail = line_text(rules.slot(position).line);
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
  }
  trace("condition", std::move(detail), ns);
}

void Matcher::disabled(std::uint32_t position) noexcept {
  const ruleset::Slot slot = snapshot_.rules().slot(position);
  const bool whole = snapshot_.disabled(slot.top);
  trace("rule", line_text(whole ? slot.top : slot.line) + " is disabled");
}

/// The lines of the list between the last one and `top`.
void Matcher::trace_passed(std::uint32_t top) {
  if (top > next_line_) {
    const std::string last = number_text(top - 1);
    trace("rule",
          (top - next_line_ == 1 ? "rule " + last + " does"
                                 : "rules " + number_text(next_line_) + " to " + last + " do") +
              " not match");
  }
  next_line_ = top + 1;
}

void Matcher::trace_line(const ruleset::Slot& slot, const Route& route, bool taken) {
  trace_passed(slot.top);
  const std::uint32_t target = snapshot_.manifest().rules[slot.line].outbound;
  std::string detail = line_text(slot.line);
  if (slot.top != slot.line) detail += " of " + line_text(slot.top);
  detail += " matches: " + snapshot_.outbound(target).name;
  if (!taken)
    detail += route.refused == Refused::pass ? ", which passes on to the next rule"
                                             : ", which carries no UDP; on to the next rule";
  trace("rule", std::move(detail));
}

void Matcher::trace_chain() {
  const auto chain = route_.chain();
  for (std::size_t i = chain.size(); i-- > 1;)
    trace("group",
          snapshot_.outbound(chain[i]).name + " uses " + snapshot_.outbound(chain[i - 1]).name);
  if (route_.refused != Refused::none)
    trace("refused",
          snapshot_.outbound(route_.leaf).name + ": " + std::string(describe(route_.refused)));
}

}  // namespace sluice::route
