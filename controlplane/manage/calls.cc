#include "controlplane/manage/calls.h"

#include <algorithm>
#include <utility>

#include "controlplane/manage/manage_limits.h"
#include "controlplane/manage/stream_call.h"
#include "controlplane/manage/unary_call.h"
#include "controlplane/manage/watch_queue.h"
#include "controlplane/manage/wire.h"

namespace sluice::manage {
namespace {

using LogQueue = BoundedQueue<LogLine, kLogQueueCount>;
using FlowStream =
    StreamCall<pb::WatchFlowsRequest, pb::FlowTable, FlowTable, LatestQueue<FlowTable>>;
using LogStream = StreamCall<pb::WatchLogRequest, pb::LogBatch, LogLine, LogQueue>;
using UpdateStream = StreamCall<pb::UpdateRuleProvidersRequest, pb::RuleProviderUpdates,
                                ProviderProgress, NamedQueue<ProviderProgress>>;

/// A Reply in plain shapes that answers `reply` in messages.
template <class Plain, class Message>
Reply<Plain> in_messages(Reply<Message> reply) {
  return Reply<Plain>([reply = std::move(reply)](Answer<Plain> answer) mutable {
    if (answer)
      reply(to_wire(*answer));
    else
      reply(std::unexpected(std::move(answer.error())));
  });
}

/// The same for answers that are one value or nothing: `make` builds the message.
template <class Plain, class Message, class Make>
Reply<Plain> made_by(Reply<Message> reply, Make make) {
  return Reply<Plain>([reply = std::move(reply), make](Answer<Plain> answer) mutable {
    if (!answer) {
      reply(std::unexpected(std::move(answer.error())));
      return;
    }
    if constexpr (std::is_void_v<Plain>)
      reply(make());
    else
      reply(make(*answer));
  });
}

void get_version(Service& to, const pb::GetVersionRequest&, Reply<pb::VersionReply> reply) {
  to.version(in_messages<VersionReport>(std::move(reply)));
}

void get_status(Service& to, const pb::GetStatusRequest&, Reply<pb::StatusReply> reply) {
  to.status(in_messages<StatusReport>(std::move(reply)));
}

void list_flows(Service& to, const pb::ListFlowsRequest&, Reply<pb::FlowTable> reply) {
  to.list_flows(in_messages<FlowTable>(std::move(reply)));
}

void watch_flows(Service& to, const pb::WatchFlowsRequest& in, WatcherPtr<FlowTable> watcher) {
  const std::uint32_t asked = in.interval_ms() == 0 ? kDefaultInterval_ms : in.interval_ms();
  to.watch_flows(Millis{std::clamp(asked, kMinInterval_ms, kMaxInterval_ms)}, std::move(watcher));
}

void close_flows(Service& to, const pb::CloseFlowsRequest& in, Reply<pb::CloseFlowsReply> reply) {
  Answer<CloseQuery> query = from_wire(in);
  if (!query) return reply(std::unexpected(std::move(query.error())));
  to.close_flows(std::move(*query), made_by<std::uint32_t>(std::move(reply), [](std::uint32_t n) {
                   pb::CloseFlowsReply out;
                   out.set_closed(n);
                   return out;
                 }));
}

void get_stats(Service& to, const pb::GetStatsRequest& in, Reply<pb::StatsReply> reply) {
  Answer<stats::Query> query = from_wire(in);
  if (!query) return reply(std::unexpected(std::move(query.error())));
  to.statistics(*query, in_messages<StatsReport>(std::move(reply)));
}

void get_memory(Service& to, const pb::GetMemoryRequest&, Reply<pb::MemoryReply> reply) {
  to.memory(in_messages<MemoryReport>(std::move(reply)));
}

void explain(Service& to, const pb::ExplainRequest& in, Reply<pb::ExplainReply> reply) {
  Answer<contract::ExplainQuery> query = from_wire(in);
  if (!query) return reply(std::unexpected(std::move(query.error())));
  to.explain(std::move(*query), in_messages<ExplainReport>(std::move(reply)));
}

void select(Service& to, const pb::SelectRequest& in, Reply<pb::SelectReply> reply) {
  to.select(in.group(), in.name(),
            made_by<void>(std::move(reply), [] { return pb::SelectReply(); }));
}

void list_rules(Service& to, const pb::ListRulesRequest&, Reply<pb::RuleTable> reply) {
  to.list_rules(in_messages<RulesReport>(std::move(reply)));
}

void set_rules(Service& to, const pb::SetRulesRequest& in, Reply<pb::SetRulesReply> reply) {
  Answer<std::vector<RuleToggle>> toggles = from_wire(in);
  if (!toggles) return reply(std::unexpected(std::move(toggles.error())));
  to.set_rules(std::move(*toggles),
               made_by<void>(std::move(reply), [] { return pb::SetRulesReply(); }));
}

void list_rule_providers(Service& to, const pb::ListRuleProvidersRequest&,
                         Reply<pb::RuleProviderTable> reply) {
  to.list_rule_providers(in_messages<std::vector<RuleProviderReport>>(std::move(reply)));
}

void update_rule_providers(Service& to, const pb::UpdateRuleProvidersRequest& in,
                           WatcherPtr<ProviderProgress> watcher) {
  to.update_rule_providers({in.names().begin(), in.names().end()}, std::move(watcher));
}

void config_check(Service& to, const pb::ConfigCheckRequest& in,
                  Reply<pb::ConfigCheckReply> reply) {
  to.config_check(from_wire(in.config()),
                  in_messages<std::vector<model::Diagnostic>>(std::move(reply)));
}

void config_diff(Service& to, const pb::ConfigDiffRequest& in, Reply<pb::ConfigDiffReply> reply) {
  to.config_diff(from_wire(in.config()), in_messages<DiffReport>(std::move(reply)));
}

void config_apply(Service& to, const pb::ConfigApplyRequest& in,
                  Reply<pb::ConfigApplyReply> reply) {
  Answer<ApplyQuery> query = from_wire(in);
  if (!query) return reply(std::unexpected(std::move(query.error())));
  to.config_apply(std::move(*query), in_messages<ApplyReport>(std::move(reply)));
}

void config_confirm(Service& to, const pb::ConfigConfirmRequest&,
                    Reply<pb::ConfigConfirmReply> reply) {
  to.config_confirm(made_by<void>(std::move(reply), [] { return pb::ConfigConfirmReply(); }));
}

void config_rollback(Service& to, const pb::ConfigRollbackRequest& in,
                     Reply<pb::ConfigRollbackReply> reply) {
  to.config_rollback(std::max<std::uint32_t>(in.steps(), 1),
                     in_messages<RollbackReport>(std::move(reply)));
}

void capture_open(Service& to, const pb::CaptureOpenRequest&, Reply<pb::CaptureOpenReply> reply) {
  to.capture_open(made_by<bool>(std::move(reply), [](bool was_closed) {
    pb::CaptureOpenReply out;
    out.set_was_closed(was_closed);
    return out;
  }));
}

void watch_log(Service& to, const pb::WatchLogRequest& in, WatcherPtr<LogLine> watcher) {
  to.watch_log(from_wire(in), std::move(watcher));
}

/// `Base`: the generated service is a chain of classes, one per call.
template <class Base, class Request, class Response>
void serve_locked(const std::shared_ptr<Hub>& hub,
                  void (Base::*arm)(grpc::ServerContext*, Request*,
                                    grpc::ServerAsyncResponseWriter<Response>*,
                                    grpc::CompletionQueue*, grpc::ServerCompletionQueue*, void*),
                  void (*handle)(Service&, const Request&, Reply<Response>)) {
  UnaryCall<Request, Response>::serve_locked(hub, arm, handle);
}

}  // namespace

void serve_all_locked(const std::shared_ptr<Hub>& hub) {
  serve_locked(hub, &AsyncService::RequestGetVersion, get_version);
  serve_locked(hub, &AsyncService::RequestGetStatus, get_status);
  serve_locked(hub, &AsyncService::RequestListFlows, list_flows);
  serve_locked(hub, &AsyncService::RequestCloseFlows, close_flows);
  serve_locked(hub, &AsyncService::RequestGetStats, get_stats);
  serve_locked(hub, &AsyncService::RequestGetMemory, get_memory);
  serve_locked(hub, &AsyncService::RequestExplain, explain);
  serve_locked(hub, &AsyncService::RequestSelect, select);
  serve_locked(hub, &AsyncService::RequestListRules, list_rules);
  serve_locked(hub, &AsyncService::RequestSetRules, set_rules);
  serve_locked(hub, &AsyncService::RequestListRuleProviders, list_rule_providers);
  serve_locked(hub, &AsyncService::RequestConfigCheck, config_check);
  serve_locked(hub, &AsyncService::RequestConfigDiff, config_diff);
  serve_locked(hub, &AsyncService::RequestConfigApply, config_apply);
  serve_locked(hub, &AsyncService::RequestConfigConfirm, config_confirm);
  serve_locked(hub, &AsyncService::RequestConfigRollback, config_rollback);
  serve_locked(hub, &AsyncService::RequestCaptureOpen, capture_open);
  FlowStream::serve_locked(hub, &AsyncService::RequestWatchFlows, watch_flows,
                           [](const FlowTable& table) { return to_wire(table); });
  LogStream::serve_locked(hub, &AsyncService::RequestWatchLog, watch_log,
                          [](const CountedBatch<LogLine>& lines) { return to_wire(lines); });
  UpdateStream::serve_locked(
      hub, &AsyncService::RequestUpdateRuleProviders, update_rule_providers,
      [](const std::vector<ProviderProgress>& progress) { return to_wire(progress); });
}

}  // namespace sluice::manage
