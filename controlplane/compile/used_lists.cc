#include "controlplane/compile/used_lists.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace sluice::compile {
namespace {

using Names = std::unordered_set<std::string_view>;

std::vector<const model::SubRules*> in_file_order(const model::Config& config, const Names& names) {
  std::vector<const model::SubRules*> out;
  for (const model::SubRules& list : config.sub_rules)
    if (names.contains(list.name)) out.push_back(&list);
  return out;
}

/// What is walked in place of `rules`.
Names names_of_entries(const model::Config& config) {
  Names out;
  for (const model::Proxy& proxy : config.proxies)
    if (proxy.rematch && !proxy.rematch->sub_rule.empty()) out.insert(proxy.rematch->sub_rule);
  for (const model::Listener& listener : config.listeners)
    if (!listener.rule.empty()) out.insert(listener.rule);
  return out;
}

}  // namespace

std::vector<const model::SubRules*> used_lists(const model::Config& config) {
  if (config.sub_rules.empty()) return {};
  std::unordered_map<std::string_view, const model::SubRules*> by_name;
  for (const model::SubRules& list : config.sub_rules) by_name.emplace(list.name, &list);
  Names used = names_of_entries(config);
  std::vector<std::string_view> open(used.begin(), used.end());  // lines not looked at yet
  const auto look = [&](const std::vector<model::Rule>& rules) {
    for (const model::Rule& rule : rules)
      if (rule.sub_rule && used.insert(rule.target).second) open.push_back(rule.target);
  };
  look(config.rules);
  while (!open.empty()) {
    const auto list = by_name.find(open.back());
    open.pop_back();
    if (list != by_name.end()) look(list->second->rules);
  }
  return in_file_order(config, used);
}

std::vector<const model::SubRules*> entry_lists(const model::Config& config) {
  return in_file_order(config, names_of_entries(config));
}

std::optional<std::uint32_t> entry_of(const std::vector<const model::SubRules*>& entries,
                                      std::string_view list) {
  const auto found = std::ranges::find(entries, list, &model::SubRules::name);
  if (found == entries.end()) return std::nullopt;
  return static_cast<std::uint32_t>(found - entries.begin()) + 1;
}

}  // namespace sluice::compile
