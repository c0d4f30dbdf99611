#include "controlplane/app/rules_report.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "controlplane/model/read/nearest.h"

namespace sluice::control_plane {
namespace {

using contract::RuleLine;
using manage::fault;
using manage::FaultKind;

std::string place_text(const std::string& file, const model::Position& at) {
  return file + ":" + std::to_string(at.line) + ":" + std::to_string(at.column);
}

/// Seconds as the milliseconds that users get; 0 = never stays 0.
std::int64_t wall_ms_of(std::uint32_t seconds) {
  return std::int64_t{seconds} * 1000;
}

/// From the last line to the first: when a line below decided last, list by list.
void fill_misses(manage::RulesReport& report) {
  std::int64_t below = 0;
  for (std::size_t i = report.rules.size(); i-- > 0;) {
    manage::RuleReport& rule = report.rules[i];
    if (i + 1 < report.rules.size() && report.rules[i + 1].list != rule.list) below = 0;
    rule.miss_wall_ms = below;
    below = std::max(below, rule.hit_wall_ms);
  }
}

std::string what_is_asked(const manage::RuleToggle& toggle) {
  return "line " + std::to_string(toggle.number) +
         (toggle.list.empty() ? "" : " in the sub-rule list " + toggle.list);
}

std::unexpected<manage::Fault> no_line(const contract::Manifest& manifest,
                                       const manage::RuleToggle& toggle) {
  const bool known_list =
      toggle.list.empty() ||
      std::ranges::find(manifest.rules, toggle.list, &RuleLine::list) != manifest.rules.end();
  if (known_list)
    return fault(FaultKind::not_found,
                 "there is no " + what_is_asked(toggle) + "; `sluice rules list` numbers them");
  model::Nearest nearest(toggle.list);
  for (const RuleLine& line : manifest.rules)
    if (!line.list.empty()) nearest.offer(line.list);
  return fault(FaultKind::not_found, "no rule uses a sub-rule list " + toggle.list + "; " +
                                         nearest.remedy("`sluice rules list` names them"));
}

}  // namespace

manage::RulesReport rules_report(const Running& running, const std::string& file,
                                 const contract::RuleStates& states, std::int64_t since_wall_ms) {
  const contract::Manifest& manifest = running.manifest;
  manage::RulesReport out;
  out.unmatched = states.unmatched;
  out.since_wall_ms = since_wall_ms;
  out.rules.reserve(manifest.rules.size());
  auto jump = running.legend.jumps.begin();
  for (std::size_t i = 0; i < manifest.rules.size(); ++i) {
    const RuleLine& line = manifest.rules[i];
    manage::RuleReport& to = out.rules.emplace_back();
    to.list = line.list;
    to.number = line.number;
    to.type = line.type;
    to.payload = line.payload;
    to.target = manifest.outbounds[line.outbound].name;
    if (jump != running.legend.jumps.end() && jump->line == i) to.target = jump++->list;
    if (i < running.legend.rules.size()) to.place = place_text(file, running.legend.rules[i].at);
    if (i >= states.lines.size()) continue;
    const contract::RuleState& state = states.lines[i];
    to.disabled = state.disabled;
    to.hits = state.hits;
    to.hit_wall_ms = wall_ms_of(state.last_hit_s);
    to.misses = state.misses;
  }
  fill_misses(out);
  return out;
}

manage::Answer<std::vector<contract::RuleSwitch>> switches_of(
    const contract::Manifest& manifest, const std::vector<manage::RuleToggle>& toggles) {
  std::map<std::pair<std::string_view, std::uint32_t>, std::uint32_t> by_name;
  for (std::uint32_t i = 0; i < manifest.rules.size(); ++i)
    by_name.emplace(std::pair(std::string_view(manifest.rules[i].list), manifest.rules[i].number),
                    i);
  std::vector<contract::RuleSwitch> out;
  for (const manage::RuleToggle& toggle : toggles) {
    const auto found = by_name.find({toggle.list, toggle.number});
    if (found == by_name.end()) return no_line(manifest, toggle);
    const auto same = std::ranges::find(out, found->second, &contract::RuleSwitch::index);
    if (same == out.end())
      out.push_back({found->second, toggle.disabled});
    else
      same->disabled = toggle.disabled;
  }
  return out;
}

}  // namespace sluice::control_plane
