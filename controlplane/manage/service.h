// manage/service.h - the management calls, in plain shapes. Implemented by controlplane/app.
//
//   client ── manage.sock ── Server ── Service (here) ── app: model, push, config_store
//
// Every call is made on the server's thread and must return at once; its Reply may be answered
// there and then, or later from any thread. The meaning, units and errors of each call stand in
// proto/sluice/v1/management.proto.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "controlplane/manage/answer.h"
#include "controlplane/manage/reports.h"
#include "proto/common/clock.h"
#include "proto/contract/explain.h"

namespace sluice::manage {

class Service {
 public:
  Service() = default;
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;
  virtual ~Service() = default;

  virtual void version(Reply<VersionReport> reply) = 0;
  virtual void status(Reply<StatusReport> reply) = 0;

  virtual void list_flows(Reply<FlowTable> reply) = 0;
  /// Pushes a whole table at each interval (200..60000 ms); older unread ones are replaced.
  virtual void watch_flows(Millis interval, WatcherPtr<FlowTable> watcher) = 0;
  virtual void statistics(stats::Query query, Reply<StatsReport> reply) = 0;
  virtual void memory(Reply<MemoryReport> reply) = 0;
  /// Answers how many were closed.
  virtual void close_flows(CloseQuery query, Reply<std::uint32_t> reply) = 0;
  virtual void explain(contract::ExplainQuery query, Reply<ExplainReport> reply) = 0;
  virtual void select(std::string group, std::string name, Reply<void> reply) = 0;

  virtual void list_rules(Reply<RulesReport> reply) = 0;
  /// At least one; all or nothing.
  virtual void set_rules(std::vector<RuleToggle> toggles, Reply<void> reply) = 0;
  virtual void list_rule_providers(Reply<std::vector<RuleProviderReport>> reply) = 0;
  /// No names: all. Pushes the progress of each and how it ended, then ends. Goes on when the
  /// reader leaves.
  virtual void update_rule_providers(std::vector<std::string> names,
                                     WatcherPtr<ProviderProgress> watcher) = 0;

  virtual void config_check(ConfigText config, Reply<std::vector<model::Diagnostic>> reply) = 0;
  virtual void config_diff(ConfigText config, Reply<DiffReport> reply) = 0;
  virtual void config_apply(ApplyQuery query, Reply<ApplyReport> reply) = 0;
  virtual void config_confirm(Reply<void> reply) = 0;
  /// `steps` >= 1.
  virtual void config_rollback(std::uint32_t steps, Reply<RollbackReport> reply) = 0;

  /// Answers whether there was a guard to lift.
  virtual void capture_open(Reply<bool> reply) = 0;

  /// Pushes the recent lines of at least `query.level`, then ends, or follows.
  virtual void watch_log(LogQuery query, WatcherPtr<LogLine> watcher) = 0;
};

}  // namespace sluice::manage
