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

/// Which flows a target can let go on to the next rule, whatever is chosen in groups.
enum class Lets : std::uint8_t { none, udp, any };

class Targets {
 public:
  explicit Targets(const Config& config) : config_(config) {
    for (const Proxy& proxy : config.proxies) udp_.emplace(proxy.name, proxy.udp);
    for (const Group& group : config.groups) groups_.emplace(group.name, &group);
  }

  [[nodiscard]] Lets lets_go_on(std::string_view target) const {
    Lets out = Lets::none;
    std::vector<std::string_view> open{target};
    std::unordered_set<std::string_view> seen;
    while (!open.empty()) {
      const std::string_view name = open.back();
      open.pop_back();
      if (!seen.insert(name).second) continue;
      if (passes_on(name)) return Lets::any;
      if (const auto proxy = udp_.find(name); proxy != udp_.end() && !proxy->second)
        out = Lets::udp;
      if (const auto group = groups_.find(name); group != groups_.end()) {
        if (!group->second->udp) out = Lets::udp;
        open.insert(open.end(), group->second->members.begin(), group->second->members.end());
      } else if (name == "GLOBAL") {
        add_everything(open);
      }
    }
    return out;
  }

 private:
  void add_everything(std::vector<std::string_view>& open) const {
    for (const Proxy& proxy : config_.proxies) open.push_back(proxy.name);
    for (const Group& group : config_.groups) open.push_back(group.name);
  }

  const Config& config_;
  std::unordered_map<std::string_view, bool> udp_;
  std::unordered_map<std::string_view, const Group*> groups_;
};

std::string counted_lines(std::size_t count) {
  return count == 1 ? "this line" : "this line and the " + std::to_string(count - 1) + " after it";
}

/// One warning, at the first line that nothing reaches.
void check_rules(const Config& config, const References& references, Report& report) {
  const auto& rules = config.rules;
  const auto match = std::ranges::find(rules, RuleType::match, &Rule::type);
  if (match == rules.end() || match + 1 == rules.end()) return;
  const Lets lets = Targets(config).lets_go_on(match->target);
  if (lets == Lets::any) return;
  const auto first = static_cast<std::size_t>(match - rules.begin()) + 1;
  const std::string lines = counted_lines(rules.size() - first);
  const std::string above = "MATCH on line " + std::to_string(match->at.line);
  if (lets == Lets::none)
    report.warning(references.rules[first],
                   lines + " can never be reached: " + above + " takes every flow",
                   "move MATCH to the end of the list, or remove what follows it");
  else
    report.warning(references.rules[first],
                   "only UDP flows that " + quote(match->target) + " does not carry reach " +
                       lines + ": " + above + " takes all others",
                   "move MATCH to the end of the list if that is not what you want");
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
  check_rules(config, references, report);
  check_listeners(config, references, report);
  check_open_lan(top, config, report);
}

}  // namespace sluice::model
