#include "dataplane/route/rule_states.h"

#include "dataplane/route/check.h"

namespace sluice::route {
namespace {

/// Entries by the first line of the list that each walks; those of the list proper and of lists
/// without lines are left out.
std::vector<std::uint64_t> ends_by_line(const Snapshot& snapshot) {
  const auto& rules = snapshot.manifest().rules;
  std::vector<std::uint64_t> out(rules.size(), 0);
  for (std::uint32_t entry = 1; entry < snapshot.rules().entry_count(); ++entry) {
    const ruleset::Window window = snapshot.rules().window(entry);
    if (window.first == window.end) continue;
    std::uint32_t line = snapshot.rules().slot(window.first).top;
    if (line >= rules.size()) continue;  // a list of the sniffer
    while (line + 1 < rules.size() && rules[line + 1].list == rules[line].list) ++line;
    out[line] += snapshot.unmatched(entry);
  }
  return out;
}

}  // namespace

contract::RuleStates rule_states(const Snapshot& snapshot) {
  const auto& rules = snapshot.manifest().rules;
  contract::RuleStates out;
  out.generation = snapshot.generation();
  out.unmatched = snapshot.unmatched(0);
  out.lines.resize(rules.size());
  const std::vector<std::uint64_t> ends = ends_by_line(snapshot);
  std::uint64_t below = 0;  // decisions of this list that ended below the line
  for (std::size_t i = rules.size(); i-- > 0;) {
    const bool last_of_list = i + 1 == rules.size() || rules[i + 1].list != rules[i].list;
    if (last_of_list) below = rules[i].list.empty() ? out.unmatched : ends[i];
    const auto index = static_cast<std::uint32_t>(i);
    out.lines[i] = {snapshot.hits(index), below, snapshot.last_hit(index),
                    snapshot.disabled(index)};
    below += out.lines[i].hits;
  }
  return out;
}

std::optional<Refusal> switch_rules(const Snapshot& snapshot,
                                    const contract::RuleSwitches& switches) {
  if (switches.generation != snapshot.generation())
    return refuse("generation", "is " + std::to_string(switches.generation) + ", what runs is " +
                                    std::to_string(snapshot.generation()));
  const std::size_t count = snapshot.manifest().rules.size();
  for (std::size_t i = 0; i < switches.lines.size(); ++i)
    if (switches.lines[i].index >= count)
      return refuse(place("lines", i) + ".index", "names no line");
  for (const contract::RuleSwitch& line : switches.lines)
    (void)snapshot.set_disabled(line.index, line.disabled);
  return {};
}

}  // namespace sluice::route
