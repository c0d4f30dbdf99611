// Values in which every field differs from its default, so that a forgotten field shows.
#pragma once

#include "proto/contract/explain.h"
#include "proto/contract/flow_events.h"
#include "proto/contract/manifest.h"
#include "proto/contract/status.h"

namespace sluice::test {

inline IpAddress ip(const char* text) {
  return *IpAddress::parse(text);
}

inline contract::Outbound sample_outbound() {
  contract::Outbound out;
  out.name = "香港 01/a%b";
  out.type_name = "Shadowsocks";
  out.kind = contract::OutboundKind::shadowsocks;
  out.server = "proxy.example.test";
  out.port = 8388;
  out.udp = false;
  out.ip_version = contract::IpVersion::prefer_v6;
  out.interface_name = "wan0";
  out.routing_mark = 7;
  out.username = "u";
  out.password = "p\tq";
  out.cipher = contract::Cipher::chacha20_ietf_poly1305;
  out.members = {2, 1};
  out.initial_choice = 1;
  out.rematch_name = "again";
  out.rematch_entry = 3;
  return out;
}

inline contract::Listener sample_listener() {
  contract::Listener out;
  out.name = "lan";
  out.kind = contract::ListenerKind::tproxy;
  out.address = ip("::");
  out.port = 7895;
  out.udp = false;
  out.users = {{"a", "b"}, {"c", ""}};
  out.skip_auth = {*Prefix::parse("127.0.0.0/8")};
  out.allowed_sources = {*Prefix::parse("192.168.0.0/16"), *Prefix::parse("fd00::/8")};
  out.denied_sources = {*Prefix::parse("192.168.1.7/32")};
  out.outbound = 0;
  out.rule_entry = 2;
  return out;
}

inline contract::Manifest sample_manifest() {
  contract::Manifest out;
  out.mode = contract::Mode::global;
  out.ipv6 = false;
  out.tcp_concurrent = true;
  out.interface_name = "eth0";
  out.routing_mark = 9;
  out.outbounds = {sample_outbound(), contract::Outbound{.name = "DIRECT"}};
  out.direct = 1;
  out.reject = 2;
  out.global = 3;
  out.rules = {{"DomainSuffix", "example.test", 1}, {"Match", "", 0, 7, "streaming"}};
  out.ruleset.fill(std::byte{0xab});
  out.listeners = {sample_listener()};
  out.capture.interfaces = {"br-lan", "wlan0"};
  out.capture.mode = contract::CaptureMode::redirect;
  out.capture.router_traffic = true;
  out.capture.fail_closed = true;
  out.capture.dns = {{"br-lan", 5301, 5302}};
  out.capture.bypass_mark = 1;
  out.capture.tproxy_mark = 2;
  out.capture.mark_mask = 3;
  out.capture.route_table = 4;
  out.capture.rule_priority = 5;
  out.fake_ranges = {*Prefix::parse("198.18.0.0/15"), *Prefix::parse("fc00::/18")};
  out.limits = {1, {2}, {3}, {4}, {5}, {6}, false, 7, 8, {9}, 10, 11};
  out.removed_flows = contract::RemovedFlows::close;
  out.sniffer = {.enable = true,
                 .http = {{{80, 80}, {8000, 9000}}, false},
                 .tls = {{{443, 443}}, true},
                 .quic = {},
                 .force_dns_mapping = false,
                 .parse_pure_ip = false,
                 .force_domain = 1,
                 .skip_domain = 2,
                 .skip_source = std::nullopt,
                 .skip_destination = 0};
  return out;
}

inline contract::FlowInfo sample_flow(std::uint64_t id = 77) {
  contract::FlowInfo out;
  out.id = id;
  out.network = Network::udp;
  out.inbound_type = contract::InboundType::tproxy;
  out.inbound_name = "lan";
  out.user = "u";
  out.source = *Endpoint::parse("192.168.1.2:4000");
  out.inbound = *Endpoint::parse("[fd00::1]:7895");
  out.destination = Destination{"example.test", ip("198.18.0.9"), 443};
  out.sniff_host = "sniffed.test";
  out.remote = "example.test:443";
  out.dns_mode = contract::DnsMode::fake_ip;
  out.rule_index = 3;
  out.rule = "DomainSuffix";
  out.rule_payload = "test";
  out.rule_list = "streaming";
  out.chains = {"leaf", "group"};
  out.upload = 1;
  out.download = 2;
  out.start_wall_ms = 3;
  out.state = contract::FlowState::half_closed;
  out.upload_packets = 4;
  out.download_packets = 5;
  out.close = contract::CloseReason::upstream_closed;
  out.close_reason = "end";
  return out;
}

inline bool same(const contract::FlowInfo& a, const contract::FlowInfo& b) {
  return a.id == b.id && a.network == b.network && a.inbound_type == b.inbound_type &&
         a.inbound_name == b.inbound_name && a.user == b.user && a.source == b.source &&
         a.inbound == b.inbound && a.destination == b.destination && a.sniff_host == b.sniff_host &&
         a.remote == b.remote && a.dns_mode == b.dns_mode && a.rule_index == b.rule_index &&
         a.rule == b.rule && a.rule_payload == b.rule_payload && a.rule_list == b.rule_list &&
         a.chains == b.chains && a.upload == b.upload && a.download == b.download &&
         a.start_wall_ms == b.start_wall_ms && a.state == b.state &&
         a.close_reason == b.close_reason && a.close == b.close &&
         a.upload_packets == b.upload_packets && a.download_packets == b.download_packets;
}

}  // namespace sluice::test
