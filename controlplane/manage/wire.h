// manage/wire.h - management messages to plain shapes and back. Only this room sees the messages.
#pragma once

#include "controlplane/manage/answer.h"
#include "controlplane/manage/reports.h"
#include "controlplane/manage/watch_queue.h"
#include "proto/contract/explain.h"
#include "sluice/v1/management.pb.h"

namespace sluice::manage {

namespace pb = ::sluice::v1::management;

// Requests. Faults: invalid, with the sentence for the user.
[[nodiscard]] Answer<contract::ExplainQuery> from_wire(const pb::ExplainRequest& in);
[[nodiscard]] Answer<stats::Query> from_wire(const pb::GetStatsRequest& in);
[[nodiscard]] Answer<CloseQuery> from_wire(const pb::CloseFlowsRequest& in);
[[nodiscard]] Answer<ApplyQuery> from_wire(const pb::ConfigApplyRequest& in);
[[nodiscard]] ConfigText from_wire(const pb::ConfigText& in);
[[nodiscard]] LogQuery from_wire(const pb::WatchLogRequest& in);
[[nodiscard]] Answer<std::vector<RuleToggle>> from_wire(const pb::SetRulesRequest& in);

// Replies.
[[nodiscard]] pb::VersionReply to_wire(const VersionReport& in);
[[nodiscard]] pb::StatusReply to_wire(const StatusReport& in);
[[nodiscard]] pb::FlowTable to_wire(const FlowTable& in);
[[nodiscard]] pb::StatsReply to_wire(const StatsReport& in);
[[nodiscard]] pb::MemoryReply to_wire(const MemoryReport& in);
[[nodiscard]] pb::ExplainReply to_wire(const ExplainReport& in);
[[nodiscard]] pb::ConfigCheckReply to_wire(const std::vector<model::Diagnostic>& in);
[[nodiscard]] pb::ConfigDiffReply to_wire(const DiffReport& in);
[[nodiscard]] pb::ConfigApplyReply to_wire(const ApplyReport& in);
[[nodiscard]] pb::ConfigRollbackReply to_wire(const RollbackReport& in);
[[nodiscard]] pb::LogBatch to_wire(const CountedBatch<LogLine>& in);
[[nodiscard]] pb::RuleTable to_wire(const RulesReport& in);
[[nodiscard]] pb::RuleProviderTable to_wire(const std::vector<RuleProviderReport>& in);
[[nodiscard]] pb::RuleProviderUpdates to_wire(const std::vector<ProviderProgress>& in);

}  // namespace sluice::manage
