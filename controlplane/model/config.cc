#include "controlplane/model/config.h"

#include <algorithm>
#include <array>
#include <tuple>

namespace sluice::model {
namespace {

constexpr std::array<std::string_view, 7> kBuiltins = {
    "DIRECT", "REJECT", "REJECT-DROP", "COMPATIBLE", "PASS", "PASS-RULE", "GLOBAL"};

auto values(const Listener& l) {
  return std::tie(l.name, l.kind, l.address, l.port, l.udp, l.users, l.proxy);
}
auto values(const Proxy& p) {
  return std::tie(p.name, p.kind, p.type_name, p.why_unbuilt, p.server, p.port, p.udp, p.ip_version,
                  p.interface_name, p.routing_mark, p.username, p.password, p.cipher);
}
auto values(const Group& g) {
  return std::tie(g.name, g.type_name, g.acts_as_select, g.members, g.initial, g.udp, g.hidden,
                  g.icon);
}
auto values(const Rule& r) {
  return std::tie(r.type, r.payload, r.payload_text, r.target, r.no_resolve, r.index);
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

std::string_view api_name(RuleType type) noexcept {
  switch (type) {
    case RuleType::domain:
      return "Domain";
    case RuleType::domain_suffix:
      return "DomainSuffix";
    case RuleType::domain_keyword:
      return "DomainKeyword";
    case RuleType::ip_cidr:
      return "IPCIDR";
    case RuleType::src_ip_cidr:
      return "SrcIPCIDR";
    case RuleType::dst_port:
      return "DstPort";
    case RuleType::src_port:
      return "SrcPort";
    case RuleType::network:
      return "Network";
    case RuleType::in_type:
      return "InType";
    case RuleType::match:
      break;
  }
  return "Match";
}

const Group* Config::find_group(std::string_view name) const noexcept {
  const auto it = std::ranges::find(groups, name, &Group::name);
  return it == groups.end() ? nullptr : &*it;
}

bool is_builtin_name(std::string_view name) noexcept {
  return std::ranges::find(kBuiltins, name) != kBuiltins.end();
}

}  // namespace sluice::model
