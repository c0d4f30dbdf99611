// cli/client.h - one connection to a running router.
//
// Blocking calls, each with a deadline; a stream lasts until the router ends it or `take` says no.
// Failures are sentences that name the fix. gRPC stays in client.cc.
#pragma once

#include <cstdint>
#include <expected>
#include <functional>
#include <memory>
#include <string>

#include "sluice/v1/management.pb.h"
#include "ui/cli/exit_code.h"

namespace sluice::cli {

namespace pb = ::sluice::v1::management;

template <class T>
using Outcome = std::expected<T, Failure>;

class Client {
 public:
  /// Fails with no_router when nobody listens there or this user may not connect.
  static Outcome<Client> connect(const std::string& run_dir);
  Client(Client&&) noexcept;
  Client& operator=(Client&&) noexcept;
  ~Client();

  Outcome<pb::VersionReply> version();
  Outcome<pb::StatusReply> status();
  Outcome<pb::FlowTable> flows();
  Outcome<pb::CloseFlowsReply> close_flows(const pb::CloseFlowsRequest& request);
  Outcome<pb::StatsReply> stats(const pb::GetStatsRequest& request);
  Outcome<pb::MemoryReply> memory();
  Outcome<pb::ExplainReply> explain(const pb::ExplainRequest& request);
  Outcome<pb::SelectReply> select(const pb::SelectRequest& request);
  Outcome<pb::RuleTable> rules();
  Outcome<pb::SetRulesReply> set_rules(const pb::SetRulesRequest& request);
  Outcome<pb::RuleProviderTable> rule_providers();
  Outcome<pb::ConfigCheckReply> check(const pb::ConfigCheckRequest& request);
  Outcome<pb::ConfigDiffReply> diff(const pb::ConfigDiffRequest& request);
  Outcome<pb::ConfigApplyReply> apply(const pb::ConfigApplyRequest& request);
  Outcome<pb::ConfigConfirmReply> confirm();
  Outcome<pb::ConfigRollbackReply> rollback(std::uint32_t steps);
  Outcome<pb::CaptureOpenReply> capture_open();

  /// Ends the stream that another thread reads, well, now or as soon as it begins. Any thread.
  void stop_stream();

  /// `take` is called for each message; false ends the stream well.
  Outcome<void> watch_flows(std::uint32_t interval_ms,
                            const std::function<bool(const pb::FlowTable&)>& take);
  Outcome<void> update_rule_providers(
      const pb::UpdateRuleProvidersRequest& request,
      const std::function<bool(const pb::RuleProviderUpdates&)>& take);
  Outcome<void> watch_log(const pb::WatchLogRequest& request,
                          const std::function<bool(const pb::LogBatch&)>& take);

 private:
  class Impl;
  explicit Client(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace sluice::cli
