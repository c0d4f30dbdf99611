// cli/show.h - replies as text for people and as JSON for programs. Pure: the clock and the
// terminal's width are parameters.
//
// Text ends in '\n'. JSON is one line that ends in '\n'; its field names are those of the
// dashboards' API, so that one script reads both.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "sluice/v1/management.pb.h"
#include "ui/cli/screen.h"

namespace sluice::cli {

namespace pb = ::sluice::v1::management;

/// {generation, dataplane, controlplane, capture, listeners[], groups[{name, type, now, all[]}], …,
/// unbuilt[{name, type, why, refuses}]}
[[nodiscard]] std::string status_json(const pb::StatusReply& status);
[[nodiscard]] std::string status_text(const pb::StatusReply& status, const Screen& screen);

/// Totals are of all flows since the data plane started, closed ones included.
/// {downloadTotal, uploadTotal, connections[{id, metadata{…}, upload, download, start, chains[],
/// rule, rulePayload}]}; chains[0] is the leaf. Ours besides: metadata.sourceName and sourceMAC,
/// and of UDP uploadPackets and downloadPackets (what a stream is cut into is not ours to see).
[[nodiscard]] std::string flows_json(const pb::FlowTable& table);
[[nodiscard]] std::string flows_text(const pb::FlowTable& table, const Screen& screen);
/// "3 flows; all since the data plane started: up 1.0 KiB, down 12.3 MiB" and, when `span_ms` > 0,
/// the rates since `before`.
[[nodiscard]] std::string flows_summary(const pb::FlowTable& table, const pb::FlowTable& before,
                                        std::int64_t span_ms);

/// {closed}
[[nodiscard]] std::string closed_json(const pb::CloseFlowsReply& reply);
/// {group, now}
[[nodiscard]] std::string selected_json(const pb::SelectRequest& done);

/// {rule, rulePayload, chains, index, list, place, steps[{what, detail, ns}]}
[[nodiscard]] std::string explain_json(const pb::ExplainReply& reply);
[[nodiscard]] std::string explain_text(const pb::ExplainReply& reply, const Screen& screen);

/// "2026-11-30T11:25:56.123Z warning dataplane/flow: text"
[[nodiscard]] std::string log_text(const pb::LogBatch& batch);
/// One object a line: {time, level, plane, component, message}.
[[nodiscard]] std::string log_json(const pb::LogBatch& batch);

/// `router` may be null: none runs, or it may not be asked.
[[nodiscard]] std::string version_text(const pb::VersionReply* router);
[[nodiscard]] std::string version_json(const pb::VersionReply* router);

}  // namespace sluice::cli
