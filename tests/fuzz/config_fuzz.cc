// Any text either becomes a valid configuration or is refused with at least one error; what becomes
// one holds what config.h promises.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "controlplane/model/diff.h"
#include "controlplane/model/load.h"

namespace {

using namespace sluice::model;

void require(bool holds) {
  if (!holds) std::abort();
}

bool exists(const Config& config, std::string_view name) {
  return is_builtin_name(name) ||
         std::ranges::find(config.proxies, name, &Proxy::name) != config.proxies.end() ||
         config.find_group(name) != nullptr;
}

void check(const Config& config, const std::vector<Rule>& rules) {
  for (const Rule& rule : rules) {
    require(rule.sub_rule ? std::ranges::find(config.sub_rules, rule.target, &SubRules::name) !=
                                config.sub_rules.end()
                          : exists(config, rule.target));
    for_each_atom(rule.condition, [&](const Atom& atom) {
      if (atom.kind == AtomKind::rule_set)
        require(std::ranges::find(config.rule_providers, std::get<std::string>(atom.payload),
                                  &RuleProvider::name) != config.rule_providers.end());
    });
  }
}

void check(const Config& config) {
  for (const Group& group : config.groups) {
    for (const auto& member : group.members) require(exists(config, member));
    require(group.initial.empty() ||
            std::ranges::find(group.members, group.initial) != group.members.end());
  }
  check(config, config.rules);
  for (const SubRules& list : config.sub_rules) check(config, list.rules);
  for (const Listener& listener : config.listeners) require(listener.port != 0);
  require(!config.dns.nameserver.empty());
  require(diff(config, config).empty());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const LoadResult result = load_config(text, "fuzz.yaml");
  require(result.config.has_value() != has_errors(result.diagnostics));
  if (result.config) check(*result.config);
  return 0;
}
