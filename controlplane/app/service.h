// app/service.h - the management calls, answered out of what the program holds.
//
//   server's thread: each call is posted ──> home: answered, or passed on to the data plane,
//                                            the configuration, the logs
//
// Owner: ControlPlane; outlives the server. Thread: calls on the server's, the work on home.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "controlplane/app/choices.h"
#include "controlplane/app/config_flow.h"
#include "controlplane/app/flow_watches.h"
#include "controlplane/app/log_hub.h"
#include "controlplane/app/plane_link.h"
#include "controlplane/app/rule_calls.h"
#include "controlplane/clients/client_names.h"
#include "controlplane/manage/service.h"
#include "controlplane/stats/stats_store.h"

namespace sluice::control_plane {

struct ServiceParts {
  Loop& home;
  ConfigFlow& config;
  PlaneLink& plane;
  Choices& choices;
  LogHub& logs;
  FlowWatches& flows;
  RuleCalls& rules;
  stats::StatsStore& stats;
  clients::ClientNames& clients;
  std::function<contract::MemoryReport()> memory;       ///< of this program; on home
  std::function<std::vector<std::string>()> dns_ports;  ///< for status; on home
  // Of the rule providers, on home. The second as RuleSets::update().
  std::function<std::vector<manage::RuleProviderReport>()> rule_providers;
  std::function<void(std::vector<std::string>, manage::WatcherPtr<manage::ProviderProgress>)>
      update_rule_providers;
  /// As RuleSets::empty_ones(); on home.
  std::function<std::vector<std::string>()> empty_sets;
  std::string config_file;
};

class AppService final : public manage::Service {
 public:
  explicit AppService(ServiceParts parts);

  void version(manage::Reply<manage::VersionReport> reply) override;
  void status(manage::Reply<manage::StatusReport> reply) override;
  void list_flows(manage::Reply<manage::FlowTable> reply) override;
  void watch_flows(Millis interval, manage::WatcherPtr<manage::FlowTable> watcher) override;
  void close_flows(manage::CloseQuery query, manage::Reply<std::uint32_t> reply) override;
  void statistics(stats::Query query, manage::Reply<manage::StatsReport> reply) override;
  void memory(manage::Reply<manage::MemoryReport> reply) override;
  void explain(contract::ExplainQuery query, manage::Reply<manage::ExplainReport> reply) override;
  void select(std::string group, std::string name, manage::Reply<void> reply) override;
  void list_rules(manage::Reply<manage::RulesReport> reply) override;
  void set_rules(std::vector<manage::RuleToggle> toggles, manage::Reply<void> reply) override;
  void list_rule_providers(manage::Reply<std::vector<manage::RuleProviderReport>> reply) override;
  void update_rule_providers(std::vector<std::string> names,
                             manage::WatcherPtr<manage::ProviderProgress> watcher) override;
  void config_check(manage::ConfigText config,
                    manage::Reply<std::vector<model::Diagnostic>> reply) override;
  void config_diff(manage::ConfigText config, manage::Reply<manage::DiffReport> reply) override;
  void config_apply(manage::ApplyQuery query, manage::Reply<manage::ApplyReport> reply) override;
  void config_confirm(manage::Reply<void> reply) override;
  void config_rollback(std::uint32_t steps, manage::Reply<manage::RollbackReport> reply) override;
  void capture_open(manage::Reply<bool> reply) override;
  void watch_log(manage::LogQuery query, manage::WatcherPtr<manage::LogLine> watcher) override;

 private:
  template <class F>
  void at_home(F job) {
    parts_.home.post(make_job(std::move(job)));
  }
  [[nodiscard]] manage::StatusReport status_now(const contract::HelloReply& hello) const;
  [[nodiscard]] std::string place_of_rule(std::int32_t number, const std::string& list) const;
  void choose(const std::string& group, const std::string& name, manage::Reply<void> reply);

  ServiceParts parts_;
  std::int64_t start_wall_ms_;
};

}  // namespace sluice::control_plane
