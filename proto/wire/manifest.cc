#include "proto/wire/manifest.h"

#include "proto/wire/address.h"
#include "proto/wire/bounds.h"
#include "proto/wire/enums.h"
#include "proto/wire/listener.h"
#include "proto/wire/sniffer.h"

namespace sluice::wire {
namespace {

void encode_outbound(const contract::Outbound& in, v1::Outbound* out) {
  out->set_name(in.name);
  out->set_type_name(in.type_name);
  out->set_kind(to_wire(in.kind));
  out->set_server(in.server);
  out->set_port(in.port);
  out->set_udp(in.udp);
  out->set_ip_version(to_wire(in.ip_version));
  out->set_interface_name(in.interface_name);
  out->set_routing_mark(in.routing_mark);
  out->set_username(in.username);
  out->set_password(in.password);
  out->set_cipher(to_wire(in.cipher));
  out->mutable_members()->Add(in.members.begin(), in.members.end());
  out->set_initial_choice(in.initial_choice);
  if (in.rematch_name) out->set_rematch_name(*in.rematch_name);
  if (in.rematch_entry) out->set_rematch_entry(*in.rematch_entry);
}

contract::Outbound decode_outbound(const Scope& at, const v1::Outbound& in) {
  contract::Outbound out;
  out.name = at.label(in.name(), "name", kMaxLabel);
  out.type_name = at.text(in.type_name(), "type_name", kMaxLabel);
  from_wire(at, "kind", in.kind(), out.kind);
  out.server = at.text(in.server(), "server", kMaxName);
  if (!out.server.empty() && !is_normal_name(out.server) && !IpAddress::parse(out.server))
    at.refuse("server", "is neither a name in normal form nor an address");
  out.port = at.port(in.port(), "port");
  out.udp = in.udp();
  from_wire(at, "ip_version", in.ip_version(), out.ip_version);
  out.interface_name = at.device(in.interface_name(), "interface_name");
  out.routing_mark = in.routing_mark();
  out.username = at.text(in.username(), "username", kMaxSecret);
  out.password = at.text(in.password(), "password", kMaxSecret);
  from_wire(at, "cipher", in.cipher(), out.cipher);
  if (at.fits(static_cast<std::size_t>(in.members_size()), "members", kMaxMembers))
    out.members.assign(in.members().begin(), in.members().end());
  out.initial_choice = in.initial_choice();
  if (in.has_rematch_name())
    out.rematch_name = at.text(in.rematch_name(), "rematch_name", kMaxLabel);
  if (in.has_rematch_entry()) out.rematch_entry = in.rematch_entry();
  return out;
}

void encode_capture(const contract::Capture& in, v1::Capture* out) {
  for (const std::string& device : in.interfaces) out->add_interfaces(device);
  out->set_mode(to_wire(in.mode));
  out->set_router_traffic(in.router_traffic);
  out->set_fail_closed(in.fail_closed);
  for (const contract::DnsPort& port : in.dns) {
    v1::DnsPort* item = out->add_dns();
    item->set_device(port.device);
    item->set_udp(port.udp);
    item->set_tcp(port.tcp);
  }
  out->set_bypass_mark(in.bypass_mark);
  out->set_tproxy_mark(in.tproxy_mark);
  out->set_mark_mask(in.mark_mask);
  out->set_route_table(in.route_table);
  out->set_rule_priority(in.rule_priority);
}

contract::Capture decode_capture(const Scope& at, const v1::Capture& in) {
  contract::Capture out;
  if (at.fits(static_cast<std::size_t>(in.interfaces_size()), "interfaces", kMaxDevices)) {
    for (const std::string& device : in.interfaces()) {
      const Scope item(at, "interfaces", out.interfaces.size());
      if (device.empty()) item.refuse("", "is empty");
      out.interfaces.push_back(item.device(device, ""));
    }
  }
  from_wire(at, "mode", in.mode(), out.mode);
  out.router_traffic = in.router_traffic();
  out.fail_closed = in.fail_closed();
  if (at.fits(static_cast<std::size_t>(in.dns_size()), "dns", kMaxDevices)) {
    for (const v1::DnsPort& port : in.dns()) {
      const Scope item(at, "dns", out.dns.size());
      if (port.device().empty()) item.refuse("device", "is empty");
      out.dns.push_back({item.device(port.device(), "device"), item.port(port.udp(), "udp"),
                         item.port(port.tcp(), "tcp")});
    }
  }
  out.bypass_mark = in.bypass_mark();
  out.tproxy_mark = in.tproxy_mark();
  out.mark_mask = in.mark_mask();
  out.route_table = in.route_table();
  out.rule_priority = in.rule_priority();
  return out;
}

void encode_limits(const contract::Limits& in, v1::Limits* out) {
  out->set_memory(in.memory);
  out->set_tcp_idle_ms(in.tcp_idle.count);
  out->set_tcp_half_closed_ms(in.tcp_half_closed.count);
  out->set_udp_idle_ms(in.udp_idle.count);
  out->set_handshake_ms(in.handshake.count);
  out->set_connect_ms(in.connect.count);
  out->set_keep_alive(in.keep_alive);
  out->set_keep_alive_idle_s(in.keep_alive_idle_s);
  out->set_keep_alive_interval_s(in.keep_alive_interval_s);
  out->set_udp_question_idle_ms(in.udp_question_idle.count);
  out->set_udp_mappings(in.udp_mappings);
  out->set_udp_mappings_per_client(in.udp_mappings_per_client);
}

Millis decode_span(const Scope& at, std::int64_t in, const char* field) {
  if (in >= 0 && in <= kMaxTimeout_ms) return Millis{in};
  at.refuse(field, "is not a span between 0 and 30 days");
  return Millis{};
}

contract::Limits decode_limits(const Scope& at, const v1::Limits& in) {
  // TCP_KEEPIDLE and TCP_KEEPINTVL take at most 32767 s (include/net/tcp.h).
  constexpr std::uint32_t kMaxKeepAlive_s = 32767;
  contract::Limits out;
  out.memory = in.memory();
  out.tcp_idle = decode_span(at, in.tcp_idle_ms(), "tcp_idle_ms");
  out.tcp_half_closed = decode_span(at, in.tcp_half_closed_ms(), "tcp_half_closed_ms");
  out.udp_idle = decode_span(at, in.udp_idle_ms(), "udp_idle_ms");
  out.handshake = decode_span(at, in.handshake_ms(), "handshake_ms");
  out.connect = decode_span(at, in.connect_ms(), "connect_ms");
  out.keep_alive = in.keep_alive();
  out.keep_alive_idle_s = at.number(in.keep_alive_idle_s(), "keep_alive_idle_s", kMaxKeepAlive_s);
  out.keep_alive_interval_s =
      at.number(in.keep_alive_interval_s(), "keep_alive_interval_s", kMaxKeepAlive_s);
  out.udp_question_idle = decode_span(at, in.udp_question_idle_ms(), "udp_question_idle_ms");
  out.udp_mappings = in.udp_mappings();
  out.udp_mappings_per_client = in.udp_mappings_per_client();
  return out;
}

void encode_rule(const contract::RuleLine& in, v1::RuleLine* out) {
  out->set_type(in.type);
  out->set_payload(in.payload);
  out->set_outbound(in.outbound);
  out->set_number(in.number);
  out->set_list(in.list);
}

contract::RuleLine decode_rule(const Scope& at, const v1::RuleLine& in, std::size_t position) {
  contract::RuleLine out;
  out.type = at.label(in.type(), "type", kMaxLabel);
  out.payload = at.text(in.payload(), "payload", kMaxText);
  out.outbound = in.outbound();
  out.number = in.has_number() ? at.number(in.number(), "number", contract::kLargestRuleNumber)
                               : static_cast<std::uint32_t>(position);
  out.list = at.text(in.list(), "list", kMaxLabel);
  return out;
}

void decode_outbounds(const Scope& at, const v1::Manifest& in, contract::Manifest& out) {
  const auto count = static_cast<std::size_t>(in.outbounds_size());
  if (!at.fits(count, "outbounds", kMaxOutbounds)) return;
  out.outbounds.reserve(count);
  for (const v1::Outbound& item : in.outbounds()) {
    out.outbounds.push_back(decode_outbound(Scope(at, "outbounds", out.outbounds.size()), item));
    if (at.refused()) return;
  }
}

void decode_rules(const Scope& at, const v1::Manifest& in, contract::Manifest& out) {
  const auto count = static_cast<std::size_t>(in.rules_size());
  if (!at.fits(count, "rules", kMaxRules)) return;
  out.rules.reserve(count);
  for (const v1::RuleLine& item : in.rules()) {
    const std::size_t position = out.rules.size();
    out.rules.push_back(decode_rule(Scope(at, "rules", position), item, position));
    if (at.refused()) return;
  }
}

void decode_listeners(const Scope& at, const v1::Manifest& in, contract::Manifest& out) {
  const auto count = static_cast<std::size_t>(in.listeners_size());
  if (!at.fits(count, "listeners", kMaxListeners)) return;
  out.listeners.reserve(count);
  for (const v1::Listener& item : in.listeners()) {
    out.listeners.push_back(decode_listener(Scope(at, "listeners", out.listeners.size()), item));
    if (at.refused()) return;
  }
}

}  // namespace

void encode(const contract::Manifest& in, v1::Manifest* out) {
  out->set_mode(to_wire(in.mode));
  out->set_ipv6(in.ipv6);
  out->set_tcp_concurrent(in.tcp_concurrent);
  out->set_interface_name(in.interface_name);
  out->set_routing_mark(in.routing_mark);
  for (const contract::Outbound& item : in.outbounds) encode_outbound(item, out->add_outbounds());
  out->set_direct(in.direct);
  out->set_reject(in.reject);
  out->set_global(in.global);
  for (const contract::RuleLine& item : in.rules) encode_rule(item, out->add_rules());
  if (in.ruleset != contract::Digest{}) out->set_ruleset(to_bytes(in.ruleset));
  for (const contract::Listener& item : in.listeners) encode_listener(item, out->add_listeners());
  encode_capture(in.capture, out->mutable_capture());
  for (const Prefix& range : in.fake_ranges) encode(range, out->add_fake_ranges());
  encode_limits(in.limits, out->mutable_limits());
  out->set_removed_flows(to_wire(in.removed_flows));
  if (in.sniffer.enable) encode_sniffer(in.sniffer, out->mutable_sniffer());
}

Decoded<contract::Manifest> decode(const v1::Manifest& in) {
  Finding found;
  const Scope root(found);
  contract::Manifest out;
  from_wire(root, "mode", in.mode(), out.mode);
  out.ipv6 = in.ipv6();
  out.tcp_concurrent = in.tcp_concurrent();
  out.interface_name = root.device(in.interface_name(), "interface_name");
  out.routing_mark = in.routing_mark();
  decode_outbounds(root, in, out);
  out.direct = in.direct();
  out.reject = in.reject();
  out.global = in.global();
  decode_rules(root, in, out);
  if (!in.ruleset().empty()) out.ruleset = root.digest(in.ruleset(), "ruleset");
  decode_listeners(root, in, out);
  out.capture = decode_capture(Scope(root, "capture"), in.capture());
  out.fake_ranges = decode_prefixes(root, "fake_ranges", in.fake_ranges());
  out.limits = decode_limits(Scope(root, "limits"), in.limits());
  from_wire(root, "removed_flows", in.removed_flows(), out.removed_flows);
  if (in.has_sniffer()) out.sniffer = decode_sniffer(Scope(root, "sniffer"), in.sniffer());
  return found.take(std::move(out));
}

void encode(const contract::Verdict& in, v1::Verdict* out) {
  out->set_accepted(in.accepted);
  out->set_generation(in.generation);
  out->set_reason(in.reason);
  out->set_place(in.place);
}

Decoded<contract::Verdict> decode(const v1::Verdict& in) {
  Finding found;
  const Scope root(found);
  contract::Verdict out;
  out.accepted = in.accepted();
  out.generation = in.generation();
  out.reason = root.text(in.reason(), "reason", kMaxText);
  out.place = root.text(in.place(), "place", kMaxText);
  return found.take(std::move(out));
}

void encode(const std::vector<contract::GroupChoice>& in, v1::SelectRequest* out) {
  for (const contract::GroupChoice& choice : in) {
    v1::GroupChoice* item = out->add_choices();
    item->set_group(choice.group);
    item->set_member(choice.member);
  }
}

Decoded<std::vector<contract::GroupChoice>> decode(const v1::SelectRequest& in) {
  Finding found;
  const Scope root(found);
  std::vector<contract::GroupChoice> out;
  if (in.choices().empty()) root.refuse("choices", "is empty");
  if (root.fits(static_cast<std::size_t>(in.choices_size()), "choices", kMaxChoices)) {
    for (const v1::GroupChoice& choice : in.choices()) {
      const Scope item(root, "choices", out.size());
      out.push_back({item.label(choice.group(), "group", kMaxLabel),
                     item.label(choice.member(), "member", kMaxLabel)});
    }
  }
  return found.take(std::move(out));
}

}  // namespace sluice::wire
