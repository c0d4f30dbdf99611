#include "controlplane/model/config.h"

#include <algorithm>
#include <array>
#include <tuple>

namespace sluice::model {
namespace {

constexpr std::array<std::string_view, 7> kBuiltins = {
    "DIRECT", "REJECT", "REJECT-DROP", "COMPATIBLE", "PASS", "PASS-RULE", "GLOBAL"};

auto values(const Listener& l) {
  return std::tie(l.name, l.kind, l.address, l.port, l.udp, l.users, l.proxy, l.rule);
}
auto values(const Proxy& p) {
  return std::tie(p.name, p.kind, p.type_name, p.why_unbuilt, p.server, p.port, p.udp, p.ip_version,
                  p.interface_name, p.routing_mark, p.username, p.password, p.cipher, p.rematch);
}
auto values(const Group& g) {
  return std::tie(g.name, g.type_name, g.acts_as_select, g.members, g.initial, g.udp, g.hidden,
                  g.icon);
}
auto values(const Rule& r) {
  return std::tie(r.condition, r.payload_text, r.target, r.sub_rule, r.no_resolve, r.source,
                  r.index);
}
auto values(const SubRules& s) {
  return std::tie(s.name, s.rules);
}
auto values(const RuleProvider& p) {
  return std::tie(p.name, p.kind, p.behavior, p.format, p.urls, p.path, p.interval, p.proxy,
                  p.headers, p.size_limit, p.payload, p.path_in_bundle);
}

}  // namespace

std::vector<Prefix> everybody() {
  return {Prefix::of(IpAddress::v4(0), 0), Prefix::of(*IpAddress::parse("::"), 0)};
}

bool operator==(const Listener& a, const Listener& b) noexcept {
  return values(a) == values(b);
}
bool operator==(const Proxy& a, const Proxy& b) noexcept {
  return values(a) == values(b);
}
bool operator==(const Group& a, const Group& b) noexcept {
  return values(a) == values(b);
}
bool operator==(const Rule& a, const Rule& b) noexcept {
  return values(a) == values(b);
}
bool operator==(const SubRules& a, const SubRules& b) noexcept {
  return values(a) == values(b);
}
bool operator==(const RuleProvider& a, const RuleProvider& b) noexcept {
  return values(a) == values(b);
}

const Group* Config::find_group(std::string_view name) const noexcept {
  const auto it = std::ranges::find(groups, name, &Group::name);
  return it == groups.end() ? nullptr : &*it;
}

bool is_builtin_name(std::string_view name) noexcept {
  return std::ranges::find(kBuiltins, name) != kBuiltins.end();
}

}  // namespace sluice::model
