// What is right by itself and does not do what its writer would think: rules that nothing reaches,
// a listener that refuses everybody, ports that are open to the LAN.
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "controlplane/model/read/readers.h"
#include "controlplane/model/read/words.h"

namespace sluice::model {
namespace {

bool passes_on(std::string_view target) noexcept {
  return target == "PASS" || target == "PASS-RULE";
}

class Targets {
 public:
  explicit Targets(const Config& config) : config_(config) {
    for (const Proxy& proxy : config.proxies) proxies_.emplace(proxy.name, &proxy);
    for (const Group& group : config.groups) groups_.emplace(group.name, &group);
  }

  [[nodiscard]] Lets lets_go_on(std::string_view target) {
    const auto [it, fresh] = known_.try_emplace(target, Lets::none);
    if (fresh) it->second = walk(target);
    return it->second;
  }

 private:
  [[nodiscard]] Lets walk(std::string_view target) const {
    Lets out = Lets::none;
    std::vector<std::string_view> open{target};
    std::unordered_set<std::string_view> seen;
    while (!open.empty()) {
      const std::string_view name = open.back();
      open.pop_back();
      if (!seen.insert(name).second) continue;
      if (passes_on(name)) return Lets::any;
      if (const auto proxy = proxies_.find(name); proxy != proxies_.end()) {
        if (proxy->second->rematch) return Lets::any;  // back to the first line
        if (!proxy->second->udp) out = Lets::udp;
      }
      if (const auto group = groups_.find(name); group != groups_.end()) {
        if (!group->second->udp) out = Lets::udp;
        open.insert(open.end(), group->second->members.begin(), group->second->members.end());
      } else if (name == "GLOBAL") {
        add_everything(open);
      }
    }
    return out;
  }

  void add_everything(std::vector<std::string_view>& open) const {
    for (const Proxy& proxy : config_.proxies) open.push_back(proxy.name);
    for (const Group& group : config_.groups) open.push_back(group.name);
  }

  const Config& config_;
  std::unordered_map<std::string_view, const Proxy*> proxies_;
  std::unordered_map<std::string_view, const Group*> groups_;
  std::unordered_map<std::string_view, Lets> known_;
};

std::string counted_lines(std::size_t count) {
  return count == 1 ? "this line" : "this line and the " + std::to_string(count - 1) + " after it";
}

/// One warning, at the first line that nothing reaches.
void check_after_match(const std::vector<Rule>& rules, const std::vector<Lets>& lets,
                       std::string_view list, Report& report) {
  const auto match = std::ranges::find_if(
      rules, [](const Rule& r) { return r.condition.op == Condition::Op::always; });
  if (match == rules.end() || match + 1 == rules.end()) return;
  const auto first = static_cast<std::size_t>(match - rules.begin()) + 1;
  if (lets[first - 1] == Lets::any) return;
  const std::string lines = counted_lines(rules.size() - first);
  const std::string above = "MATCH on line " + std::to_string(match->at.line);
  if (lets[first - 1] == Lets::none)
    report.warning(place_of(rules[first], list),
                   lines + " can never be reached: " + above + " takes every flow",
                   "move MATCH to the end of the list, or remove what follows it");
  else
    report.warning(place_of(rules[first], list),
                   "only UDP flows that " + quote(match->target) + " does not carry reach " +
                       lines + ": " + above + " takes all others",
                   "move MATCH to the end of the list if that is not what you want");
}

void check_rules(const std::vector<Rule>& rules, std::string_view list, Targets& targets,
                 Report& report) {
  std::vector<Lets> lets;
  lets.reserve(rules.size());
  for (const Rule& rule : rules)
    lets.push_back(rule.sub_rule ? Lets::any : targets.lets_go_on(rule.target));
  check_after_match(rules, lets, list, report);
  check_covered(rules, lets, list, report);
}

/// Its list counts for nothing beside its proxy. An entry with several ports is said once.
void check_listener_rules(const Config& config, Report& report) {
  std::string_view said;
  for (const Listener& listener : config.listeners) {
    if (listener.rule.empty() || listener.proxy.empty() || listener.rule_place.path == said)
      continue;
    said = listener.rule_place.path;
    report.warning(listener.rule_place,
                   "has no effect: `proxy` of the same listener takes every flow",
                   "remove one of them");
  }
}

void check_listeners(const Config& config, const References& references, Report& report) {
  std::string_view said;  // an entry with several ports is said once
  for (std::size_t i = 0; i < config.listeners.size(); ++i) {
    const Place& place = references.listeners[i];
    const std::string& target = config.listeners[i].proxy;
    if (!passes_on(target) || place.path == said) continue;
    said = place.path;
    report.warning(place,
                   "every flow is refused: " + target + " goes on to the next rule, and a " +
                       "listener that names its proxy has none",
                   "name a proxy or group, or remove `proxy` so that the rules decide");
  }
}

/// The general ports that take logins and are open to more than this machine.
void check_open_lan(const Fields& top, const Config& config, Report& report) {
  const General& general = config.general;
  if (!general.allow_lan || !general.authentication.empty()) return;
  if (general.lan_allowed_ips != everybody()) return;
  const bool open = std::ranges::any_of(config.listeners, [&](const Listener& l) {
    return l.name.starts_with("DEFAULT-") && takes_logins(l.kind) && !l.address.is_loopback();
  });
  if (open)
    report.warning(top.place("allow-lan"),
                   "everybody who reaches this machine may use its ports, without a password",
                   "set authentication, or say who may with lan-allowed-ips");
}

}  // namespace

void check_effects(const Fields& top, const Config& config, const References& references,
                   Report& report) {
  Targets targets(config);
  check_rules(config.rules, "rules", targets, report);
  for (const SubRules& list : config.sub_rules)
    check_rules(list.rules, path_of(list), targets, report);
  check_listeners(config, references, report);
  check_listener_rules(config, report);
  check_open_lan(top, config, report);
}

}  // namespace sluice::model
