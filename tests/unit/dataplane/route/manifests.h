// A small valid manifest for the tests of this room, and its blob.
//
//   0 DIRECT  1 REJECT  2 PASS  3 tcp-only (socks5, no UDP)  4 unbuilt  5 proxy (shadowsocks)
//   6 group {proxy, DIRECT}  7 outer {group, tcp-only, PASS, unbuilt}  8 GLOBAL {outer, DIRECT}
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "dataplane/route/matcher.h"
#include "dataplane/route/snapshot.h"
#include "proto/ruleset/builder.h"

namespace sluice::route::test {

using contract::Manifest;
using contract::OutboundKind;

struct Applied {
  Manifest manifest;
  BlobMap blobs;
};

inline contract::Outbound outbound(std::string name, OutboundKind kind, std::string type) {
  contract::Outbound out;
  out.name = std::move(name);
  out.kind = kind;
  out.type_name = std::move(type);
  return out;
}

inline contract::Outbound group(std::string name, std::vector<std::uint32_t> members) {
  contract::Outbound out = outbound(std::move(name), OutboundKind::select, "Selector");
  out.members = std::move(members);
  return out;
}

inline contract::Outbound server(std::string name, OutboundKind kind, std::string type) {
  contract::Outbound out = outbound(std::move(name), kind, std::move(type));
  out.server = "node.example.test";
  out.port = 1080;
  return out;
}

inline void set_block(Applied& out, std::vector<std::byte> bytes) {
  const contract::BlobPtr blob = contract::make_blob(std::move(bytes));
  out.manifest.ruleset = blob->digest;
  out.blobs[blob->digest] = blob;
}

inline void set_rules(Applied& out, ruleset::Builder rules) {
  set_block(out, *rules.finish());
}

inline contract::Limits limits() {
  contract::Limits out;
  out.tcp_idle = {7'440'000};
  out.tcp_half_closed = {240'000};
  out.udp_idle = {60'000};
  out.handshake = {10'000};
  out.connect = {5'000};
  return out;
}

inline contract::Listener listener(std::string name, std::string_view address, std::uint16_t port) {
  contract::Listener out;
  out.name = std::move(name);
  out.address = *IpAddress::parse(address);
  out.port = port;
  return out;
}

inline Applied base() {
  Applied out;
  Manifest& m = out.manifest;
  m.outbounds = {outbound("DIRECT", OutboundKind::direct, "Direct"),
                 outbound("REJECT", OutboundKind::reject, "Reject"),
                 outbound("PASS", OutboundKind::pass, "Pass"),
                 server("tcp-only", OutboundKind::socks5, "Socks5"),
                 server("unbuilt", OutboundKind::unbuilt, "Vmess"),
                 server("proxy", OutboundKind::shadowsocks, "Shadowsocks"),
                 group("group", {5, 0}),
                 group("outer", {6, 3, 2, 4}),
                 group("GLOBAL", {7, 0})};
  m.outbounds[3].udp = false;
  m.outbounds[5].cipher = contract::Cipher::aes_128_gcm;
  m.outbounds[5].password = "secret";
  m.direct = 0;
  m.reject = 1;
  m.global = 8;
  m.listeners = {listener("DEFAULT-MIXED", "127.0.0.1", 7890)};
  m.limits = limits();
  set_rules(out, ruleset::Builder{});
  return out;
}

/// A line of the list, in both of its forms.
struct Rules {
  ruleset::Builder block;
  std::vector<contract::RuleLine> lines;

  void suffix(const std::string& name, std::uint32_t target) {
    block.domain_suffix(name);
    add({"DomainSuffix", name, target});
  }
  void address(const std::string& prefix, std::uint32_t target, ruleset::Resolve resolve) {
    block.destination(*Prefix::parse(prefix), resolve);
    add({"IPCIDR", prefix, target});
  }
  void line(const ruleset::Condition& condition, std::uint32_t target) {
    block.line(condition);
    add({"Logic", "", target});
  }
  /// A SUB-RULE; its own lines follow by place() with their numbers in `lines`.
  void group() { add({"SubRule", "", 0}); }
  void inner(std::uint32_t target) { add({"Inner", "", target}); }
  void always(std::uint32_t target) {
    block.always();
    add({"Match", "", target});
  }
  [[nodiscard]] Applied applied() const {
    Applied out = base();
    out.manifest.rules = lines;
    set_rules(out, block);
    return out;
  }

 private:
  void add(contract::RuleLine line) {
    line.number = static_cast<std::uint32_t>(lines.size());
    lines.push_back(std::move(line));
  }
};

inline std::expected<std::unique_ptr<const Snapshot>, Refusal> build(
    const Applied& applied, const Snapshot* previous = nullptr) {
  return build_snapshot(applied.manifest, applied.blobs, 1, previous);
}

}  // namespace sluice::route::test
