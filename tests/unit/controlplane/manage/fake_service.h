// A Service that remembers what it was asked and answers what the test put in.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>

#include "controlplane/manage/service.h"

namespace sluice::manage {

class FakeService final : public Service {
 public:
  void version(Reply<VersionReport> reply) override { reply(VersionReport{"1.2.3", "1.2.2", 1}); }
  void status(Reply<StatusReport> reply) override {
    if (fault_) return reply(std::unexpected(*fault_));
    reply(status_);
  }
  void list_flows(Reply<FlowTable> reply) override { reply(flows_); }
  void watch_flows(Millis interval, WatcherPtr<FlowTable> watcher) override {
    const std::lock_guard lock(mutex_);
    interval_ = interval;
    flow_watcher_ = std::move(watcher);
    changed_.notify_all();
  }
  void close_flows(CloseQuery query, Reply<std::uint32_t> reply) override {
    reply(query.all ? 99U : static_cast<std::uint32_t>(query.ids.size()));
  }
  void statistics(stats::Query query, Reply<StatsReport> reply) override {
    if (fault_) return reply(std::unexpected(*fault_));
    query_ = query;
    reply(stats_);
  }
  void memory(Reply<MemoryReport> reply) override {
    reply(
        MemoryReport{{{.name = "slices", .used_bytes = 5, .when_full = contract::WhenFull::waits}},
                     {{.name = "dns-cache", .items = 6}}});
  }
  void explain(contract::ExplainQuery query, Reply<ExplainReport> reply) override {
    contract::Explanation out;
    out.index = 7;
    out.rule = "DomainSuffix";
    out.rule_payload = query.destination.to_string();
    out.chains = {"ss1", "PROXY"};
    out.steps = {{"rule", query.source.valid() ? query.source.to_string() : "", 42}};
    explained_ = std::move(query);
    reply(ExplainReport{std::move(out), "config.yaml:14:5"});
  }
  /// Kept by the test to answer later; dropped when it does not.
  void select(std::string, std::string name, Reply<void> reply) override {
    if (name == "lost") return;
    const std::lock_guard lock(mutex_);
    late_.emplace(std::move(reply));
    changed_.notify_all();
  }
  void list_rules(Reply<RulesReport> reply) override { reply(rules_); }
  void set_rules(std::vector<RuleToggle> toggles, Reply<void> reply) override {
    if (fault_) return reply(std::unexpected(*fault_));
    const std::lock_guard lock(mutex_);
    toggles_ = std::move(toggles);
    reply({});
  }
  void list_rule_providers(Reply<std::vector<RuleProviderReport>> reply) override {
    reply(providers_);
  }
  void update_rule_providers(std::vector<std::string> names,
                             WatcherPtr<ProviderProgress> watcher) override {
    const std::lock_guard lock(mutex_);
    update_names_ = std::move(names);
    update_watcher_ = std::move(watcher);
    changed_.notify_all();
  }
  void config_check(ConfigText config, Reply<std::vector<model::Diagnostic>> reply) override {
    model::Diagnostic one;
    one.file = config.file;
    one.line = 3;
    one.column = 5;
    one.path = "mixed-port";
    one.problem = std::to_string(config.text.size()) + " bytes";
    reply(std::vector{one});
  }
  void config_diff(ConfigText, Reply<DiffReport> reply) override {
    reply(DiffReport{{}, {"mixed-port: 1 -> 2"}});
  }
  void config_apply(ApplyQuery query, Reply<ApplyReport> reply) override {
    const std::lock_guard lock(mutex_);
    applied_ = std::move(query);
    reply(ApplyReport{true, {}, 12, {}});
  }
  void config_confirm(Reply<void> reply) override {
    reply(fault(FaultKind::refused, "nothing waits to be confirmed"));
  }
  void config_rollback(std::uint32_t steps, Reply<RollbackReport> reply) override {
    if (steps > 5) return reply(fault(FaultKind::not_found, "no such version"));
    reply(RollbackReport{{true, {}, steps, {}}, 1000});
  }
  void capture_open(Reply<bool> reply) override { reply(true); }
  void watch_log(LogQuery query, WatcherPtr<LogLine> watcher) override {
    const std::lock_guard lock(mutex_);
    log_query_ = query;
    log_watcher_ = std::move(watcher);
    changed_.notify_all();
  }

  /// Waits until the server's thread has brought something.
  template <class Predicate>
  void wait(Predicate ready) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return ready(*this); });
  }

  StatusReport status_;
  FlowTable flows_;
  contract::ExplainQuery explained_;  ///< the last one, once it was answered
  RulesReport rules_;
  StatsReport stats_;
  stats::Query query_;
  std::vector<RuleProviderReport> providers_;
  std::optional<Fault> fault_;
  std::mutex mutex_;
  std::condition_variable changed_;
  // Below: under the mutex.
  std::optional<Reply<void>> late_;
  Millis interval_;
  WatcherPtr<FlowTable> flow_watcher_;
  WatcherPtr<LogLine> log_watcher_;
  ApplyQuery applied_;
  LogQuery log_query_;
  std::vector<RuleToggle> toggles_;
  std::vector<std::string> update_names_;
  WatcherPtr<ProviderProgress> update_watcher_;
};

}  // namespace sluice::manage
