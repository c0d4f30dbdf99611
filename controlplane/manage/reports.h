// manage/reports.h - what the management calls take and give, as plain values.
//
// Flows, explanations and listeners are the contract's own shapes; the rest is here.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "controlplane/compile/legend.h"
#include "controlplane/model/diagnostic.h"
#include "proto/contract/explain.h"
#include "proto/contract/flow_info.h"
#include "proto/contract/status.h"

namespace sluice::manage {

struct VersionReport {
  std::string controlplane;
  std::string dataplane;  ///< empty while it is away
  std::uint32_t contract = contract::kVersion;
};

struct PlaneReport {
  bool up = false;
  std::string version;
  std::int64_t start_wall_ms = 0;
};

struct GroupReport {
  std::string name;
  std::string type;  ///< "Selector"
  std::string now;
  std::vector<std::string> all;
};

/// What only the data plane knows is as it was last seen.
struct StatusReport {
  std::uint64_t generation = 0;
  PlaneReport dataplane;
  PlaneReport controlplane;
  contract::CaptureState capture = contract::CaptureState::off;
  std::string capture_error;
  std::vector<contract::ListenerState> listeners;
  std::vector<GroupReport> groups;
  contract::Mode mode = contract::Mode::rule;
  std::uint64_t open_flows = 0;
  std::uint64_t upload_total = 0;    ///< bytes
  std::uint64_t download_total = 0;  ///< bytes
  std::uint64_t memory_used = 0;     ///< bytes
  std::uint64_t memory_bound = 0;    ///< bytes
  std::string missing;
  std::string config_file;
  std::uint32_t confirm_seconds_left = 0;
  bool unsaved = false;
  std::string file_fault;        ///< why the last good configuration runs instead of the file
  std::vector<std::string> dns;  ///< "udp 127.0.0.1:1053"
  std::vector<compile::Unbuilt> unbuilt;
};

struct FlowTable {
  std::uint64_t upload_total = 0;    ///< bytes, closed flows included
  std::uint64_t download_total = 0;  ///< bytes
  std::vector<contract::FlowInfo> flows;
};

struct ExplainReport {
  contract::Explanation explanation;
  std::string place;  ///< "file:line:column" of the rule; empty when no rule decided
};

struct CloseQuery {
  std::vector<std::uint64_t> ids;
  bool all = false;  ///< then `ids` is empty
};

struct ConfigText {
  std::string file;  ///< for diagnostics; never opened
  std::string text;
};

struct DiffReport {
  std::vector<model::Diagnostic> diagnostics;
  std::vector<std::string> changes;
};

struct ApplyQuery {
  ConfigText config;
  bool once = false;
  std::uint32_t confirm_seconds = 0;  ///< 0 = none; at most 86400
};

struct ApplyReport {
  bool applied = false;
  std::vector<model::Diagnostic> diagnostics;
  std::uint64_t generation = 0;
  std::vector<std::string> changes;
};

/// Going back is itself an apply.
struct RollbackReport {
  ApplyReport apply;
  std::int64_t saved_wall_ms = 0;  ///< 0: it was still in the file
};

struct LogQuery {
  std::uint8_t level = 1;  ///< LogLevel
  bool follow = false;
};

struct LogLine {
  contract::LogRecord record;
  bool from_dataplane = false;
};

}  // namespace sluice::manage
