#include "controlplane/manage/wire.h"

#include <algorithm>
#include <string>
#include <utility>

#include "controlplane/manage/check_reply.h"
#include "controlplane/manage/manage_limits.h"
#include "controlplane/manage/wire_parts.h"
#include "proto/common/log.h"

namespace sluice::manage {
namespace {

// The two sides' enumerations have the same order; these make sure it stays so.
static_assert(static_cast<int>(contract::InboundType::inner) == pb::INBOUND_INNER);
static_assert(static_cast<int>(contract::DnsMode::hosts) == pb::DNS_HOSTS);
static_assert(static_cast<int>(contract::FlowState::closed) == pb::FLOW_CLOSED);
static_assert(static_cast<int>(contract::ListenerKind::tproxy) == pb::LISTENER_TPROXY);
static_assert(static_cast<int>(contract::CaptureState::failed) == pb::CAPTURE_FAILED);
static_assert(static_cast<int>(Network::udp) == pb::NETWORK_UDP);
static_assert(static_cast<int>(LogLevel::error) == pb::LOG_ERROR);
static_assert(static_cast<int>(model::Severity::error) == pb::SEVERITY_ERROR);

std::string_view text_of(contract::Mode mode) {
  switch (mode) {
    case contract::Mode::rule:
      return "rule";
    case contract::Mode::global:
      return "global";
    case contract::Mode::direct:
      return "direct";
  }
  return "rule";
}

void fill(pb::Endpoint& out, const Endpoint& in) {
  if (in.ip.valid()) out.set_ip(in.ip.to_string());
  out.set_port(in.port);
}

void fill(pb::PlaneStatus& out, const PlaneReport& in) {
  out.set_up(in.up);
  out.set_version(in.version);
  out.set_start_wall_ms(in.start_wall_ms);
}

template <class List>
void fill(List& out, const std::vector<std::string>& in) {
  for (const std::string& text : in) *out.Add() = utf8(text);
}

void fill(pb::Flow& out, const contract::FlowInfo& in) {
  out.set_id(in.id);
  out.set_network(same<pb::Network>(in.network));
  out.set_inbound_type(same<pb::InboundType>(in.inbound_type));
  out.set_inbound_name(utf8(in.inbound_name));
  out.set_user(utf8(in.user));
  fill(*out.mutable_source(), in.source);
  fill(*out.mutable_inbound(), in.inbound);
  out.set_host(utf8(in.destination.name));
  out.set_sniff_host(utf8(in.sniff_host));
  fill(*out.mutable_destination(), Endpoint{in.destination.ip, in.destination.port});
  out.set_remote(utf8(in.remote));
  out.set_dns_mode(same<pb::DnsMode>(in.dns_mode));
  out.set_rule_index(in.rule_index);
  out.set_rule(utf8(in.rule));
  out.set_rule_payload(utf8(in.rule_payload));
  out.set_rule_list(utf8(in.rule_list));
  fill(*out.mutable_chains(), in.chains);
  out.set_upload(in.upload);
  out.set_download(in.download);
  out.set_upload_packets(in.upload_packets);
  out.set_download_packets(in.download_packets);
  out.set_start_wall_ms(in.start_wall_ms);
  out.set_state(same<pb::FlowState>(in.state));
}

void fill(pb::Diagnostic& out, const model::Diagnostic& in) {
  out.set_severity(same<pb::Severity>(in.severity));
  out.set_file(utf8(in.file));
  out.set_line(in.line);
  out.set_column(in.column);
  out.set_path(utf8(in.path));
  out.set_problem(utf8(in.problem));
  out.set_remedy(utf8(in.remedy));
}

template <class Out>
void fill_diagnostics(Out& out, const std::vector<model::Diagnostic>& in) {
  for (const model::Diagnostic& diagnostic : in) fill(*out.add_diagnostics(), diagnostic);
}

}  // namespace

Answer<contract::ExplainQuery> from_wire(const pb::ExplainRequest& in) {
  contract::ExplainQuery out;
  if (in.port() < 1 || in.port() > 65535)
    return fault(FaultKind::invalid, "a port is a number from 1 to 65535");
  if (in.source_port() > 65535)
    return fault(FaultKind::invalid, "a source port is a number from 0 to 65535");
  Result<Destination> destination =
      Destination::from_host(in.host(), static_cast<std::uint16_t>(in.port()));
  if (!destination)
    return fault(FaultKind::invalid, "'" + in.host() + "' is neither a name nor an address");
  out.destination = std::move(*destination);
  if (!pb::Network_IsValid(in.network()) || !pb::InboundType_IsValid(in.inbound_type()))
    return fault(FaultKind::invalid,
                 "unknown network or inbound type; is the client newer than the "
                 "router?");
  out.network = same<Network>(in.network());
  out.source_port = static_cast<std::uint16_t>(in.source_port());
  if (!in.source().empty()) {
    const Result<IpAddress> source = IpAddress::parse(in.source());
    if (!source) return fault(FaultKind::invalid, "'" + in.source() + "' is not an address");
    out.source = *source;
  }
  if (in.has_inbound_type()) out.inbound_type = same<contract::InboundType>(in.inbound_type());
  out.listener = in.listener();
  if (!in.protocol().empty()) {
    out.protocol = contract::find_protocol(in.protocol());
    if (!out.protocol)
      return fault(FaultKind::invalid,
                   "'" + in.protocol() + "' is not tls, http, quic, dtls, stun or bittorrent");
  }
  if (!in.sniffed_host().empty()) {
    const Result<Destination> host = Destination::from_host(in.sniffed_host(), 0);
    if (!host || !host->has_name())
      return fault(FaultKind::invalid, "'" + in.sniffed_host() + "' is not a name");
    out.sniffed_host = host->name;
  }
  return out;
}

Answer<CloseQuery> from_wire(const pb::CloseFlowsRequest& in) {
  if (in.all() == (in.ids_size() > 0))
    return fault(FaultKind::invalid, "name the flows to close, or all of them, not both");
  return CloseQuery{{in.ids().begin(), in.ids().end()}, in.all()};
}

ConfigText from_wire(const pb::ConfigText& in) {
  return {in.file(), in.text()};
}

Answer<ApplyQuery> from_wire(const pb::ConfigApplyRequest& in) {
  if (in.once() && in.confirm_seconds() != 0)
    return fault(FaultKind::invalid,
                 "--once and --confirm exclude each other: what is not saved "
                 "needs no confirmation");
  if (in.confirm_seconds() > kMaxConfirm_s)
    return fault(FaultKind::invalid, "a confirmation may wait for a day at most");
  return ApplyQuery{from_wire(in.config()), in.once(), in.confirm_seconds()};
}

LogQuery from_wire(const pb::WatchLogRequest& in) {
  const int level = std::clamp<int>(in.level(), pb::LOG_DEBUG, pb::LOG_ERROR);
  return {static_cast<std::uint8_t>(level), in.follow()};
}

pb::VersionReply to_wire(const VersionReport& in) {
  pb::VersionReply out;
  out.set_controlplane(in.controlplane);
  out.set_dataplane(in.dataplane);
  out.set_contract(in.contract);
  return out;
}

pb::StatusReply to_wire(const StatusReport& in) {
  pb::StatusReply out;
  out.set_generation(in.generation);
  fill(*out.mutable_dataplane(), in.dataplane);
  fill(*out.mutable_controlplane(), in.controlplane);
  out.set_capture(same<pb::CaptureState>(in.capture));
  out.set_capture_error(in.capture_error);
  for (const contract::ListenerState& listener : in.listeners) {
    pb::Listener& to = *out.add_listeners();
    to.set_name(utf8(listener.name));
    to.set_kind(same<pb::ListenerKind>(listener.kind));
    to.set_address(listener.address);
    to.set_tcp(listener.tcp);
    to.set_udp(listener.udp);
    to.set_error(utf8(listener.error));
  }
  for (const GroupReport& group : in.groups) {
    pb::Group& to = *out.add_groups();
    to.set_name(utf8(group.name));
    to.set_type(group.type);
    to.set_now(utf8(group.now));
    fill(*to.mutable_all(), group.all);
  }
  out.set_mode(std::string(text_of(in.mode)));
  out.set_open_flows(in.open_flows);
  out.set_upload_total(in.upload_total);
  out.set_download_total(in.download_total);
  out.set_memory_used(in.memory_used);
  out.set_memory_bound(in.memory_bound);
  out.set_udp_mappings(in.udp.mappings);
  out.set_udp_evicted(in.udp.evicted);
  out.set_udp_dropped(in.udp.dropped);
  out.set_missing(utf8(in.missing));
  out.set_config_file(utf8(in.config_file));
  out.set_confirm_seconds_left(in.confirm_seconds_left);
  out.set_unsaved(in.unsaved);
  out.set_file_fault(utf8(in.file_fault));
  fill(*out.mutable_dns(), in.dns);
  for (const compile::Unbuilt& unbuilt : in.unbuilt) {
    pb::Unbuilt& to = *out.add_unbuilt();
    to.set_name(utf8(unbuilt.name));
    to.set_type(unbuilt.type);
    to.set_why(unbuilt.why);
    to.set_refuses(unbuilt.refuses);
  }
  return out;
}

pb::FlowTable to_wire(const FlowTable& in) {
  pb::FlowTable out;
  out.set_upload_total(in.upload_total);
  out.set_download_total(in.download_total);
  out.mutable_flows()->Reserve(static_cast<int>(in.flows.size()));
  for (const contract::FlowInfo& flow : in.flows) fill(*out.add_flows(), flow);
  for (std::size_t i = 0; i < in.clients.size(); ++i) {
    pb::Flow& flow = *out.mutable_flows(static_cast<int>(i));
    flow.set_client_name(utf8(in.clients[i].name));
    flow.set_client_mac(in.clients[i].mac);
  }
  return out;
}

pb::ExplainReply to_wire(const ExplainReport& in) {
  const contract::Explanation& found = in.explanation;
  pb::ExplainReply out;
  out.set_index(found.index);
  out.set_rule(utf8(found.rule));
  out.set_rule_payload(utf8(found.rule_payload));
  out.set_list(utf8(found.rule_list));
  fill(*out.mutable_chains(), found.chains);
  for (const contract::ExplainStep& step : found.steps) {
    pb::ExplainStep& to = *out.add_steps();
    to.set_what(utf8(step.what));
    to.set_detail(utf8(step.detail));
    to.set_ns(step.ns);
  }
  out.set_place(utf8(in.place));
  return out;
}

pb::ConfigCheckReply to_wire(const std::vector<model::Diagnostic>& in) {
  pb::ConfigCheckReply out;
  fill_diagnostics(out, in);
  return out;
}

std::string check_reply_bytes(const std::vector<model::Diagnostic>& diagnostics) {
  return to_wire(diagnostics).SerializeAsString();
}

pb::ConfigDiffReply to_wire(const DiffReport& in) {
  pb::ConfigDiffReply out;
  fill_diagnostics(out, in.diagnostics);
  fill(*out.mutable_changes(), in.changes);
  return out;
}

pb::ConfigApplyReply to_wire(const ApplyReport& in) {
  pb::ConfigApplyReply out;
  out.set_applied(in.applied);
  fill_diagnostics(out, in.diagnostics);
  out.set_generation(in.generation);
  fill(*out.mutable_changes(), in.changes);
  return out;
}

pb::ConfigRollbackReply to_wire(const RollbackReport& in) {
  pb::ConfigRollbackReply out;
  fill_diagnostics(out, in.apply.diagnostics);
  out.set_generation(in.apply.generation);
  out.set_saved_wall_ms(in.saved_wall_ms);
  fill(*out.mutable_changes(), in.apply.changes);
  return out;
}

pb::LogBatch to_wire(const CountedBatch<LogLine>& in) {
  pb::LogBatch out;
  out.set_dropped(in.dropped);
  for (const LogLine& line : in.values) {
    pb::LogRecord& to = *out.add_records();
    to.set_wall_ms(line.record.wall_ms);
    to.set_level(same<pb::LogLevel>(std::min<int>(line.record.level, pb::LOG_ERROR)));
    to.set_plane(line.from_dataplane ? "dataplane" : "controlplane");
    to.set_component(utf8(line.record.component));
    to.set_text(utf8(line.record.text));
  }
  return out;
}

}  // namespace sluice::manage
