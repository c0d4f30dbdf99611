// The words of explain; the decision itself is in matcher.cc.
#include "dataplane/route/matcher.h"

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
  std::string detail;
  if (from < snapshot_.manifest().rules.size()) detail = "from rule " + number_text(from) + " on: ";
  detail += position == ruleset::kNone ? "no rule matches" : line_text(position) + " is the first";
  trace(ruleset::describe(index), std::move(detail), ns);
}

void Matcher::trace_line(std::uint32_t index, const Route& route, bool taken) {
  if (index > next_line_) {
    const std::string last = number_text(index - 1);
    trace("rule",
          (index - next_line_ == 1 ? "rule " + last + " does"
                                   : "rules " + number_text(next_line_) + " to " + last + " do") +
              " not match");
  }
  const std::uint32_t target = snapshot_.manifest().rules[index].outbound;
  std::string detail = line_text(index) + " matches: " + snapshot_.outbound(target).name;
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
