// manage/reports.h - what the management calls take and give, as plain values.
//
// Flows, explanations and listeners are the contract's own shapes; the rest is here.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "controlplane/compile/legend.h"
#include "controlplane/model/diagnostic.h"
#include "controlplane/model/rule_provider.h"
#include "controlplane/stats/query.h"
#include "proto/contract/explain.h"
#include "proto/contract/flow_info.h"
#include "proto/contract/memory_report.h"
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
  contract::UdpState udp;
  std::string missing;
  std::string config_file;
  std::uint32_t confirm_seconds_left = 0;
  bool unsaved = false;
  std::string file_fault;        ///< why the last good configuration runs instead of the file
  std::vector<std::string> dns;  ///< "udp 127.0.0.1:1053"
  std::vector<compile::Unbuilt> unbuilt;
};

/// Who a client's address belongs to.
struct ClientLabel {
  std::string name;  ///< of its DHCP lease; may be empty
  std::string mac;   ///< "02:00:5e:10:00:01"; may be empty
};

struct FlowTable {
  std::uint64_t upload_total = 0;    ///< bytes, closed flows included
  std::uint64_t download_total = 0;  ///< bytes
  std::vector<contract::FlowInfo> flows;
  std::vector<ClientLabel> clients;  ///< of each flow, or none
};

/// What was carried, by one of its sides; `clients` as in FlowTable, of each row.
struct StatsReport {
  stats::Report carried;
  std::vector<ClientLabel> clients;
};

struct MemoryReport {
  contract::MemoryReport dataplane;  ///< empty while it is away
  contract::MemoryReport controlplane;
};

struct ExplainReport {
  contract::Explanation explanation;
  std::string place;  ///< "file:line:column" of the rule; empty when no rule decided
};

/// One line of `rules` or of a list under `sub-rules`.
struct RuleReport {
  std::string list;          ///< the sub-rule list it stands in; empty: `rules`
  std::uint32_t number = 0;  ///< place in that list as written, from 0
  std::string type;          ///< "DomainSuffix"
  std::string payload;
  std::string target;
  std::string place;  ///< "file:line:column"
  bool disabled = false;
  std::uint64_t hits = 0;         ///< flows that it decided
  std::int64_t hit_wall_ms = 0;   ///< the last of them; 0: none
  std::uint64_t misses = 0;       ///< decisions of its list that ended below it
  std::int64_t miss_wall_ms = 0;  ///< when a line below it decided last; 0: never
};

struct RulesReport {
  std::vector<RuleReport> rules;     ///< `rules` in order, then each sub-rule list that is used
  std::uint64_t unmatched = 0;       ///< flows that no line decided
  std::int64_t since_wall_ms = 0;    ///< counted from then on: the start of the data plane
  std::int64_t changed_wall_ms = 0;  ///< the last change of the lines, not before since_wall_ms
};

/// Whether one line takes part in matching.
struct RuleToggle {
  std::string list;  ///< empty: `rules`
  std::uint32_t number = 0;
  bool disabled = false;
  friend bool operator==(const RuleToggle&, const RuleToggle&) = default;
};

struct RuleProviderReport {
  std::string name;
  model::ProviderKind kind = model::ProviderKind::http;
  model::RuleBehavior behavior = model::RuleBehavior::domain;
  model::RuleFormat format = model::RuleFormat::yaml;
  bool in_force = false;             ///< there is content
  std::uint32_t entries = 0;         ///< in force
  std::uint32_t refused = 0;         ///< entries of the content in force that are left out
  std::int64_t changed_wall_ms = 0;  ///< when the content in force came; 0: there is none
  std::int64_t checked_wall_ms = 0;  ///< when it was last known to be current; 0: never
  std::int64_t next_wall_ms = 0;     ///< when it is looked at again by itself; 0: not planned
  bool refreshing = false;
  std::string fault;   ///< why the last attempt failed; empty after a good one
  std::string digest;  ///< of the content in force: 16 hexadecimal digits; empty: there is none
};

/// How the refresh of one provider goes; the last value of each says how it ended.
struct ProviderProgress {
  enum class State : std::uint8_t { running, updated, not_modified, failed };
  std::string name;
  State state = State::running;
  std::uint64_t received = 0;  ///< bytes of this attempt
  std::uint64_t total = 0;     ///< bytes; 0: not known
  std::string reason;          ///< failed: one sentence
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
