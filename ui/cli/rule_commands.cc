#include "ui/cli/rule_commands.h"

#include <set>
#include <string>

#include "ui/cli/show_rules.h"
#include "ui/cli/terminal.h"
#include "ui/cli/update_view.h"

namespace sluice::cli {
namespace {

/// Lists that `--list` may name.
std::string lists_of(const pb::RuleTable& table) {
  std::set<std::string> names{kListProper};
  for (const pb::Rule& rule : table.rules())
    if (!rule.list().empty()) names.insert(rule.list());
  std::string out;
  for (const std::string& name : names) out += (out.empty() ? "" : ", ") + name;
  return out;
}

}  // namespace

Outcome<void> rules_list(Client& client, const Invocation& in) {
  auto table = client.rules();
  if (!table) return std::unexpected(table.error());
  if (!in.list.empty()) {
    const std::string lists = lists_of(*table);
    if (!keep_list(*table, in.list))
      return std::unexpected(Failure{
          ExitCode::not_found, "no line stands in a list " + in.list + "; there are: " + lists});
  }
  if (in.json) {
    print(rules_json(*table));
    return {};
  }
  const Screen screen = screen_now();
  print(rules_text(*table, in.hits, screen) + rules_summary(*table, screen));
  return {};
}

Outcome<void> rules_top(Client& client, const Invocation& in) {
  auto table = client.rules();
  if (!table) return std::unexpected(table.error());
  const Screen screen = screen_now();
  const std::string summary = rules_summary(*table, screen);
  keep_top(*table, in.count);
  print(in.json ? rules_json(*table) : rules_text(*table, true, screen) + summary);
  return {};
}

Outcome<void> rules_unused(Client& client, const Invocation& in) {
  auto table = client.rules();
  if (!table) return std::unexpected(table.error());
  const Screen screen = screen_now();
  const auto all = static_cast<std::size_t>(table->rules_size());
  keep_unused(*table);
  print(in.json ? rules_json(*table)
                : rules_text(*table, false, screen) + unused_summary(*table, all, screen));
  return {};
}

Outcome<void> rules_switch(Client& client, const Invocation& in) {
  const bool disabled = in.command == Command::rules_disable;
  pb::SetRulesRequest request;
  for (const LineName& line : in.lines) {
    pb::RuleSwitch& to = *request.add_switches();
    to.set_list(line.list);
    to.set_number(line.number);
    to.set_disabled(disabled);
  }
  const auto reply = client.set_rules(request);
  if (!reply) return std::unexpected(reply.error());
  print(in.json ? switched_json(in.lines, disabled) : switched_text(in.lines, disabled));
  return {};
}

Outcome<void> rules_providers(Client& client, const Invocation& in) {
  const auto table = client.rule_providers();
  if (!table) return std::unexpected(table.error());
  print(in.json ? providers_json(*table) : providers_text(*table, screen_now()));
  return {};
}

Outcome<void> rules_update(Client& client, const Invocation& in) {
  pb::UpdateRuleProvidersRequest request;
  for (const std::string& name : in.names) request.add_names(name);
  UpdateView view;
  const auto done = client.update_rule_providers(request, [&](const auto& news) {
    if (in.json) return print(view.json(news));
    const Terminal now = terminal();
    return print(now.present ? view.paint(news, now.width) : view.report(news));
  });
  if (!done) return done;
  if (view.empty() && !in.json) print("the configuration has no rule providers\n");
  if (view.any_failed()) return std::unexpected(Failure{ExitCode::refused, {}});
  return {};
}

}  // namespace sluice::cli
