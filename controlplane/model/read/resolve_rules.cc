// Sub-rule lists and rule providers that rules name.
#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "controlplane/model/bounds.h"
#include "controlplane/model/read/nearest.h"
#include "controlplane/model/read/readers.h"
#include "controlplane/model/read/words.h"

namespace sluice::model {
namespace {

class RuleResolver {
 public:
  RuleResolver(Config& config, Report& report) : config_(config), report_(report) {
    for (std::size_t i = 0; i < config.sub_rules.size(); ++i)
      lists_.emplace(config.sub_rules[i].name, i);
    for (const RuleProvider& provider : config.rule_providers) providers_.insert(provider.name);
  }

  void run() {
    check_names(config_.rules, "rules");
    for (const SubRules& list : config_.sub_rules) check_names(list.rules, path_of(list));
    for (const Proxy& proxy : config_.proxies)
      if (proxy.rematch && !proxy.rematch->sub_rule.empty())
        check_list(proxy.rematch->sub_rule, proxy.rematch->sub_rule_place);
    check_listeners();
    marks_.assign(config_.sub_rules.size(), Mark::fresh);
    extents_.resize(config_.sub_rules.size());
    for (std::size_t i = 0; i < config_.sub_rules.size(); ++i)
      if (marks_[i] == Mark::fresh) walk_from(i);
    if (!cyclic_) check_extent();
  }

 private:
  enum class Mark : std::uint8_t { fresh, open, done };
  struct Step {
    std::size_t list;
    std::size_t next;  // line to look at
  };
  /// What a list becomes once each SUB-RULE stands for the lines of its list.
  struct Extent {
    std::uint64_t lines = 0;
    unsigned depth = 1;
  };

  // Names.
  void check_names(const std::vector<Rule>& rules, std::string_view path) {
    for (const Rule& rule : rules) {
      if (rule.sub_rule && !lists_.contains(rule.target))
        check_list(rule.target, place_of(rule, path));
      for_each_atom(rule.condition, [&](const Atom& atom) {
        if (atom.kind == AtomKind::rule_set) check_provider(atom, rule, path);
      });
    }
  }

  void check_list(std::string_view name, const Place& place) {
    if (lists_.contains(name)) return;
    report_.error(place, "sub-rule list " + quote(name) + " does not exist", near_list(name));
  }

  [[nodiscard]] std::string near_list(std::string_view name) const {
    Nearest nearest(name);
    for (const SubRules& list : config_.sub_rules) nearest.offer(list.name);
    return nearest.remedy("add it under sub-rules:, or correct the name");
  }

  /// As in other programs `rules` stand in for a list that is not there. An entry with several
  /// ports is said once.
  void check_listeners() {
    const Listener* said = nullptr;
    for (Listener& listener : config_.listeners) {
      if (listener.rule.empty() || lists_.contains(listener.rule)) continue;
      if (said == nullptr || said->rule_place.path != listener.rule_place.path)
        report_.warning(listener.rule_place,
                        "sub-rule list " + quote(listener.rule) + " does not exist",
                        "`rules` decide its flows; " + near_list(listener.rule));
      listener.rule.clear();
      said = &listener;
    }
  }

  void check_provider(const Atom& atom, const Rule& rule, std::string_view path) {
    const std::string& name = std::get<std::string>(atom.payload);
    if (providers_.contains(name)) return;
    Nearest nearest(name);
    for (const RuleProvider& provider : config_.rule_providers) nearest.offer(provider.name);
    report_.error(place_of(rule, path), "rule provider " + quote(name) + " does not exist",
                  nearest.remedy("add it under rule-providers:, or correct the name"));
  }

  // Lists in lists. A walk with its own stack: a hostile file may nest thousands.
  void walk_from(std::size_t start) {
    std::vector<Step> stack{{start, 0}};
    marks_[start] = Mark::open;
    while (!stack.empty()) {
      Step& step = stack.back();
      const auto& rules = config_.sub_rules[step.list].rules;
      if (step.next == rules.size()) {
        marks_[step.list] = Mark::done;
        extents_[step.list] = extent_of(rules);
        stack.pop_back();
        continue;
      }
      const Rule& rule = rules[step.next++];
      const auto inner = rule.sub_rule ? lists_.find(rule.target) : lists_.end();
      if (inner == lists_.end() || marks_[inner->second] == Mark::done) continue;
      if (marks_[inner->second] == Mark::open) {
        report_cycle(stack, inner->second, rule);
        continue;
      }
      marks_[inner->second] = Mark::open;
      stack.push_back({inner->second, 0});  // ends the life of `step`
    }
  }

  void report_cycle(const std::vector<Step>& stack, std::size_t first, const Rule& rule) {
    std::string path;
    const auto from = std::ranges::find(stack, first, &Step::list);
    for (auto step = from; step != stack.end(); ++step)
      path += config_.sub_rules[step->list].name + " -> ";
    path += config_.sub_rules[first].name;
    report_.error(place_of(rule, path_of(config_.sub_rules[stack.back().list])),
                  "sub-rule lists go in a circle: " + path, "take one of them out of the other");
    cyclic_ = true;
  }

  // Inner lists are done before the ones that hold them; one of a cycle counts as empty.
  [[nodiscard]] Extent extent_of(const std::vector<Rule>& rules) const {
    Extent out;
    for (const Rule& rule : rules) {
      const Extent line = extent_of(rule);
      out.lines = std::min(out.lines + line.lines, kMaxExpandedLines + 1);
      out.depth = std::max(out.depth, line.depth + 1);
    }
    return out;
  }

  [[nodiscard]] Extent extent_of(const Rule& rule) const {
    if (!rule.sub_rule) return {1, 0};
    const auto list = lists_.find(rule.target);
    return list == lists_.end() ? Extent{0, 0} : extents_[list->second];
  }

  /// The list proper, then what rematch proxies and listeners name, each list once: all of them go
  /// into a block.
  void check_extent() {
    std::uint64_t lines = 0;
    for (const Rule& rule : config_.rules)
      if (!fits(extent_of(rule), lines, place_of(rule, "rules"))) return;
    std::unordered_set<std::string_view> seen;
    const auto fits_once = [&](std::string_view name, const Place& place) {
      const auto list = lists_.find(name);
      if (list == lists_.end() || !seen.insert(name).second) return true;
      return fits(extents_[list->second], lines, place);
    };
    for (const Proxy& proxy : config_.proxies)
      if (proxy.rematch && !fits_once(proxy.rematch->sub_rule, proxy.rematch->sub_rule_place))
        return;
    for (const Listener& listener : config_.listeners)
      if (!fits_once(listener.rule, listener.rule_place)) return;
  }

  bool fits(const Extent& extent, std::uint64_t& lines, const Place& place) {
    lines += extent.lines;
    const bool deep = extent.depth > kMaxSubRuleDepth;
    if (lines <= kMaxExpandedLines && !deep) return true;
    report_.error(place,
                  deep ? "sub-rule lists are nested deeper than " + std::to_string(kMaxSubRuleDepth)
                       : "with every sub-rule list in its place there are more than " +
                             std::to_string(kMaxExpandedLines) + " lines",
                  "name fewer lists inside each other");
    return false;
  }

  Config& config_;
  Report& report_;
  std::unordered_map<std::string_view, std::size_t> lists_;
  std::unordered_set<std::string_view> providers_;
  std::vector<Mark> marks_;      // by list
  std::vector<Extent> extents_;  // by list
  bool cyclic_ = false;
};

}  // namespace

Place place_of(const Rule& rule, std::string_view list) {
  return {rule.at, join_path(list, rule.index)};
}

std::string path_of(const SubRules& list) {
  return join_path("sub-rules", list.name);
}

void resolve_rules(Config& config, Report& report) {
  RuleResolver(config, report).run();
}

}  // namespace sluice::model
