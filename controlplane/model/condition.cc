#include "controlplane/model/condition.h"

#include <algorithm>
#include <utility>

namespace sluice::model {

bool takes_address_options(AtomKind kind) noexcept {
  switch (kind) {
    case AtomKind::ip_cidr:
    case AtomKind::ip_suffix:
    case AtomKind::geoip:
    case AtomKind::ip_asn:
    case AtomKind::rule_set:
      return true;
    default:
      return false;
  }
}

bool Atom::asks_for_address() const noexcept {
  return takes_address_options(kind) && !source && !no_resolve;
}

Condition Condition::of(Atom atom) {
  Condition out;
  out.op = Op::atom;
  out.atom = std::move(atom);
  return out;
}

bool Condition::may_ask_for_address() const noexcept {
  if (op == Op::atom) return atom.asks_for_address();
  return std::ranges::any_of(operands, [](const Condition& c) { return c.may_ask_for_address(); });
}

std::string_view api_name(AtomKind kind, bool source) noexcept {
  switch (kind) {
    case AtomKind::domain:
      return "Domain";
    case AtomKind::domain_suffix:
      return "DomainSuffix";
    case AtomKind::domain_keyword:
      return "DomainKeyword";
    case AtomKind::domain_wildcard:
      return "DomainWildcard";
    case AtomKind::domain_regex:
      return "DomainRegex";
    case AtomKind::geosite:
      return "GeoSite";
    case AtomKind::ip_cidr:
      return source ? "SrcIPCIDR" : "IPCIDR";
    case AtomKind::ip_suffix:
      return source ? "SrcIPSuffix" : "IPSuffix";
    case AtomKind::geoip:
      return source ? "SrcGeoIP" : "GeoIP";
    case AtomKind::ip_asn:
      return source ? "SrcIPASN" : "IPASN";
    case AtomKind::dst_port:
      return "DstPort";
    case AtomKind::src_port:
      return "SrcPort";
    case AtomKind::in_port:
      return "InPort";
    case AtomKind::network:
      return "Network";
    case AtomKind::in_type:
      return "InType";
    case AtomKind::in_name:
      return "InName";
    case AtomKind::in_user:
      return "InUser";
    case AtomKind::rematch_name:
      return "RematchName";
    case AtomKind::dscp:
      return "DSCP";
    case AtomKind::uid:
      return "Uid";
    case AtomKind::src_mac:
      return "SrcMAC";
    case AtomKind::time:
      return "Time";
    case AtomKind::process_name:
      return "ProcessName";
    case AtomKind::process_name_wildcard:
      return "ProcessNameWildcard";
    case AtomKind::process_name_regex:
      return "ProcessNameRegex";
    case AtomKind::process_path:
      return "ProcessPath";
    case AtomKind::process_path_wildcard:
      return "ProcessPathWildcard";
    case AtomKind::process_path_regex:
      return "ProcessPathRegex";
    case AtomKind::protocol:
      return "Protocol";
    case AtomKind::rule_set:
      break;
  }
  return "RuleSet";
}

}  // namespace sluice::model
