#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "controlplane/model/read/nearest.h"
#include "controlplane/model/read/readers.h"
#include "controlplane/model/read/words.h"

namespace sluice::model {
namespace {

std::string line_of(const Place& place) {
  return place.path + " on line " + std::to_string(place.at.line);
}

class Resolver {
 public:
  Resolver(const References& references, Config& config, Report& report) noexcept
      : references_(references), config_(config), report_(report) {}

  void run() {
    collect_names();
    for (std::size_t i = 0; i < config_.groups.size(); ++i) resolve_members(i);
    order_groups();
    for (const std::size_t i : order_) choose_initial(i);
    check_targets();
  }

 private:
  enum class What : std::uint8_t { proxy, group };
  struct Named {
    What what;
    std::size_t index;
    const Place* place;
  };

  // Names. Compared whole and byte by byte (B013, B007).
  void collect_names() {
    for (std::size_t i = 0; i < config_.proxies.size(); ++i)
      add_name(config_.proxies[i].name, {What::proxy, i, &references_.proxies[i]});
    for (std::size_t i = 0; i < config_.groups.size(); ++i)
      add_name(config_.groups[i].name, {What::group, i, &references_.groups[i].name});
  }

  void add_name(const std::string& name, Named named) {
    if (is_builtin_name(name) && !(named.what == What::group && name == "GLOBAL")) {
      report_.error(*named.place, quote(name) + " is a built-in name", "choose another name");
      return;
    }
    const auto [it, fresh] = names_.try_emplace(name, named);
    if (fresh) return;
    const bool same = it->second.what == named.what;
    report_.error(
        *named.place,
        quote(name) + " is already the name of " +
            (same ? "" : std::string(it->second.what == What::proxy ? "a proxy, " : "a group, ")) +
            line_of(*it->second.place),
        "rename one of them");
  }

  [[nodiscard]] std::string near(std::string_view name) const {
    Nearest nearest(name);
    for (const Proxy& proxy : config_.proxies) nearest.offer(proxy.name);
    for (const Group& group : config_.groups) nearest.offer(group.name);
    for (const std::string_view builtin : {"DIRECT", "REJECT", "REJECT-DROP"})
      nearest.offer(builtin);
    return nearest.remedy("add it to proxies or proxy-groups, or correct the name");
  }

  // Members.
  void resolve_members(std::size_t i) {
    Group& group = config_.groups[i];
    for (const Value& v : references_.groups[i].members) {
      const std::string name(v.text());
      if (!names_.contains(name) && (!is_builtin_name(name) || name == "GLOBAL")) {
        report_.error(
            v.place(),
            "group " + quote(group.name) + " has a member " + quote(name) + " that does not exist",
            near(name));
      } else if (std::ranges::find(group.members, name) != group.members.end()) {
        report_.warning(v.place(), quote(name) + " is a member of this group twice",
                        "it counts once: remove it here");
      } else {
        group.members.push_back(name);
      }
    }
    if (references_.groups[i].members.empty()) report_empty(i);
    resolve_selected(i);
  }

  void report_empty(std::size_t i) {
    const Place& place = references_.groups[i].name;
    if (references_.groups[i].awaits_providers) {
      report_.warning(place, "all members of this group would come from what is not built yet",
                      "flows to it are refused; list members under proxies:");
    } else {
      report_.error(place, "group " + quote(config_.groups[i].name) + " has no members",
                    "list some under proxies:");
    }
  }

  void resolve_selected(std::size_t i) {
    const auto& selected = references_.groups[i].selected;
    Group& group = config_.groups[i];
    if (!selected) return;
    if (std::ranges::find(group.members, selected->text()) != group.members.end()) {
      group.initial = selected->text();
      return;
    }
    report_.error(selected->place(),
                  quote(selected->text()) + " is not a member of group " + quote(group.name),
                  "name one of its members");
  }

  // Groups in groups. A walk with its own stack: a hostile file may nest thousands.
  void order_groups() {
    marks_.assign(config_.groups.size(), Mark::fresh);
    for (std::size_t i = 0; i < config_.groups.size(); ++i)
      if (marks_[i] == Mark::fresh) walk_from(i);
  }

  void walk_from(std::size_t start) {
    std::vector<std::pair<std::size_t, std::size_t>> stack{{start, 0}};  // group, next member
    marks_[start] = Mark::open;
    while (!stack.empty()) {
      auto& [group, next] = stack.back();
      const auto& members = config_.groups[group].members;
      if (next == members.size()) {
        marks_[group] = Mark::done;
        order_.push_back(group);
        stack.pop_back();
        continue;
      }
      const auto it = names_.find(members[next++]);
      if (it == names_.end() || it->second.what != What::group) continue;
      const std::size_t inner = it->second.index;
      if (marks_[inner] == Mark::open) report_cycle(stack, inner);
      if (marks_[inner] != Mark::fresh) continue;
      marks_[inner] = Mark::open;
      stack.emplace_back(inner, 0);  // ends the life of `group` and `next`
    }
  }

  void report_cycle(const std::vector<std::pair<std::size_t, std::size_t>>& stack,
                    std::size_t first) {
    std::string path;
    bool inside = false;
    for (const auto& [group, next] : stack) {
      inside = inside || group == first;
      if (inside) path += config_.groups[group].name + " -> ";
    }
    path += config_.groups[first].name;
    report_.error(references_.groups[first].name, "groups contain each other: " + path,
                  "take one of them out of the other");
  }

  // The member that is used until the user chooses. Inner groups come first.
  [[nodiscard]] bool is_built(std::string_view name) const {
    const auto it = names_.find(std::string(name));
    if (it == names_.end()) return is_builtin_name(name);
    if (it->second.what == What::proxy) return config_.proxies[it->second.index].built();
    const Group& group = config_.groups[it->second.index];
    return !group.initial.empty() && group_built_[it->second.index];
  }

  void choose_initial(std::size_t i) {
    Group& group = config_.groups[i];
    const References::GroupPlaces& places = references_.groups[i];
    group_built_.resize(config_.groups.size());
    if (!group.acts_as_select) {
      if (group.initial.empty() && !group.members.empty()) group.initial = group.members.front();
    } else if (places.removed) {
      // Without members nobody can be sent through one hop of what was a chain.
      group.members.clear();
      group.initial.clear();
      report_.warning(places.type, group.type_name + " groups are no longer supported anywhere",
                      "flows to it are refused; use dialer-proxy chains once they are built");
    } else {
      const auto first =
          std::ranges::find_if(group.members, [&](const auto& m) { return is_built(m); });
      group.initial = first == group.members.end() ? "" : *first;
      report_.warning(places.type, group.type_name + " is known, not built yet",
                      group.initial.empty()
                          ? "flows to it are refused: none of its members is built"
                          : "the group acts as select and begins with " + quote(group.initial));
    }
    group_built_[i] = !group.initial.empty() && is_built(group.initial);
  }

  // Targets. A mistyped one must not send flows on to the next line: that could be DIRECT.
  void check_targets() {
    check_rule_targets(config_.rules, "rules");
    for (const SubRules& list : config_.sub_rules) check_rule_targets(list.rules, path_of(list));
    for (const RuleProvider& provider : config_.rule_providers)
      if (!provider.proxy.empty())
        check_target(provider.proxy, {provider.place.at, join_path(provider.place.path, "proxy")},
                     "proxy ");
    for (std::size_t i = 0; i < config_.listeners.size(); ++i)
      if (!config_.listeners[i].proxy.empty())
        check_target(config_.listeners[i].proxy, references_.listeners[i], "target ");
  }

  void check_rule_targets(const std::vector<Rule>& rules, std::string_view list) {
    for (const Rule& rule : rules)
      if (!rule.sub_rule && !exists(rule.target))
        check_target(rule.target, place_of(rule, list), "rule target ");
  }

  [[nodiscard]] bool exists(const std::string& name) const {
    return is_builtin_name(name) || names_.contains(name);
  }

  void check_target(const std::string& name, const Place& place, const char* what) {
    if (exists(name)) return;
    report_.error(place, what + quote(name) + " does not exist", near(name));
  }

  enum class Mark : std::uint8_t { fresh, open, done };

  const References& references_;
  Config& config_;
  Report& report_;
  std::unordered_map<std::string, Named> names_;
  std::vector<Mark> marks_;         // by group
  std::vector<std::size_t> order_;  // groups, inner ones first
  std::vector<bool> group_built_;   // by group: what it begins with is built
};

}  // namespace

void resolve_names(const References& references, Config& config, Report& report) {
  Resolver(references, config, report).run();
}

}  // namespace sluice::model
