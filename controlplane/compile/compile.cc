#include "controlplane/compile/compile.h"

#include <utility>

#include "controlplane/compile/outbounds.h"
#include "controlplane/compile/rule_block.h"
#include "controlplane/compile/rule_lines.h"
#include "controlplane/compile/sniff_lists.h"
#include "controlplane/compile/used_lists.h"

namespace sluice::compile {
namespace {

bool is_transparent(contract::ListenerKind kind) {
  return kind == contract::ListenerKind::redir || kind == contract::ListenerKind::tproxy;
}

/// lan-allowed-ips and its like stand once in the file and hold for every listener.
contract::Listener compile_listener(const model::Listener& l, const model::General& general,
                                    const Outbounds& outbounds,
                                    const std::vector<const model::SubRules*>& entries) {
  contract::Listener out;
  out.name = l.name;
  out.kind = l.kind;
  out.address = l.address;
  out.port = l.port;
  out.udp = l.udp;
  if (!is_transparent(l.kind)) {
    out.users = l.users;
    if (!l.users.empty()) out.skip_auth = general.skip_auth_prefixes;
  }
  if (general.lan_allowed_ips != model::everybody()) out.allowed_sources = general.lan_allowed_ips;
  out.denied_sources = general.lan_disallowed_ips;
  if (!l.proxy.empty()) out.outbound = outbounds.of(l.proxy);
  if (!l.rule.empty()) out.rule_entry = entry_of(entries, l.rule);
  return out;
}

contract::Capture compile_capture(const model::Capture& c) {
  contract::Capture out;
  out.interfaces = c.interfaces;
  out.mode = c.mode;
  out.router_traffic = c.router_traffic;
  out.fail_closed = c.when_down == model::WhenDown::closed;
  out.bypass_mark = c.bypass_mark;
  out.tproxy_mark = c.tproxy_mark;
  out.mark_mask = c.mark_mask;
  out.route_table = c.route_table;
  out.rule_priority = c.rule_priority;
  return out;
}

contract::Limits compile_limits(const model::Config& config) {
  const model::Timeouts& t = config.sluice.timeouts;
  contract::Limits out;
  out.memory = config.sluice.memory_limit;
  out.tcp_idle = t.tcp_idle;
  out.tcp_half_closed = t.tcp_half_closed;
  out.udp_idle = t.udp_idle;
  out.udp_question_idle = config.sluice.udp.dns_timeout;
  out.udp_mappings = config.sluice.udp.max_mappings;
  out.udp_mappings_per_client = config.sluice.udp.max_mappings_per_client;
  out.handshake = t.handshake;
  out.connect = t.connect;
  out.keep_alive = config.general.keep_alive;
  out.keep_alive_idle_s = config.general.keep_alive_idle_s;
  out.keep_alive_interval_s = config.general.keep_alive_interval_s;
  return out;
}

/// Fake addresses may still be held by clients when only DNS was switched off.
std::vector<Prefix> fake_ranges(const model::Dns& dns) {
  if (dns.mode != model::DnsMode::fake_ip) return {};
  std::vector<Prefix> out{dns.fake_ip_range};
  if (dns.fake_ip_range6) out.push_back(*dns.fake_ip_range6);
  return out;
}

}  // namespace

Result<CompileResult> compile(const model::Config& config, const Inputs& inputs) {
  auto block = make_block(config, inputs);
  if (!block) return fail(block.error());
  CompileResult out = compile_around(config, contract::make_blob(std::move(block->bytes)));
  out.left_out = std::move(block->left_out);
  out.slow_patterns = std::move(block->slow_patterns);
  return out;
}

CompileResult compile_around(const model::Config& config, contract::BlobPtr block) {
  Outbounds outbounds = compile_outbounds(config);
  CompileResult out;
  contract::Manifest& m = out.manifest;
  m.ruleset = block->digest;
  out.blobs.push_back(std::move(block));
  m.rules = rule_lines(config, outbounds);
  m.mode = config.general.mode;
  m.ipv6 = config.general.ipv6;
  m.tcp_concurrent = config.general.tcp_concurrent;
  m.interface_name = config.general.interface_name;
  m.routing_mark = config.general.routing_mark;
  const auto entries = entry_lists(config);
  for (const model::Listener& l : config.listeners)
    m.listeners.push_back(compile_listener(l, config.general, outbounds, entries));
  m.direct = outbounds.direct;
  m.reject = outbounds.reject;
  m.global = outbounds.global;
  m.outbounds = std::move(outbounds.list);
  m.capture = compile_capture(config.sluice.capture);
  m.fake_ranges = fake_ranges(config.dns);
  m.limits = compile_limits(config);
  m.removed_flows = config.sluice.removed_flows;
  m.sniffer = compile_sniffer(config);
  return out;
}

}  // namespace sluice::compile
