// The calls about rules and rule providers.
#include <utility>

#include "controlplane/app/service.h"

namespace sluice::control_plane {

using manage::Reply;

void AppService::list_rules(Reply<manage::RulesReport> reply) {
  at_home([this, reply = std::move(reply)]() mutable { parts_.rules.list(std::move(reply)); });
}

void AppService::set_rules(std::vector<manage::RuleToggle> toggles, Reply<void> reply) {
  at_home([this, toggles = std::move(toggles), reply = std::move(reply)]() mutable {
    parts_.rules.set(toggles, std::move(reply));
  });
}

void AppService::list_rule_providers(Reply<std::vector<manage::RuleProviderReport>> reply) {
  at_home([this, reply = std::move(reply)]() mutable { reply(parts_.rule_providers()); });
}

void AppService::update_rule_providers(std::vector<std::string> names,
                                       manage::WatcherPtr<manage::ProviderProgress> watcher) {
  at_home([this, names = std::move(names), watcher = std::move(watcher)]() mutable {
    parts_.update_rule_providers(std::move(names), std::move(watcher));
  });
}

}  // namespace sluice::control_plane
