// contract/rule_type.h - the type of a rule as it stands in files, for what people read. The
// contract, the counters and the API carry the names that dashboards know.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace sluice::contract {

struct RuleTypeNames {
  std::string_view api;      ///< RuleLine::type
  std::string_view written;  ///< the first field of a rule
};

/// Those that are spelled in two ways; AND, OR, NOT, DSCP, UID are not.
inline constexpr std::array<RuleTypeNames, 35> kRuleTypeNames{{
    {"DomainSuffix", "DOMAIN-SUFFIX"},
    {"Domain", "DOMAIN"},
    {"IPCIDR", "IP-CIDR"},
    {"DomainKeyword", "DOMAIN-KEYWORD"},
    {"DomainWildcard", "DOMAIN-WILDCARD"},
    {"DomainRegex", "DOMAIN-REGEX"},
    {"GeoSite", "GEOSITE"},
    {"GeoIP", "GEOIP"},
    {"IPASN", "IP-ASN"},
    {"IPSuffix", "IP-SUFFIX"},
    {"SrcIPCIDR", "SRC-IP-CIDR"},
    {"SrcGeoIP", "SRC-GEOIP"},
    {"SrcIPASN", "SRC-IP-ASN"},
    {"SrcIPSuffix", "SRC-IP-SUFFIX"},
    {"SrcMAC", "SRC-MAC"},
    {"DstPort", "DST-PORT"},
    {"SrcPort", "SRC-PORT"},
    {"InPort", "IN-PORT"},
    {"Network", "NETWORK"},
    {"InType", "IN-TYPE"},
    {"InName", "IN-NAME"},
    {"InUser", "IN-USER"},
    {"RematchName", "REMATCH-NAME"},
    {"Uid", "UID"},
    {"Time", "TIME"},
    {"ProcessName", "PROCESS-NAME"},
    {"ProcessNameWildcard", "PROCESS-NAME-WILDCARD"},
    {"ProcessNameRegex", "PROCESS-NAME-REGEX"},
    {"ProcessPath", "PROCESS-PATH"},
    {"ProcessPathWildcard", "PROCESS-PATH-WILDCARD"},
    {"ProcessPathRegex", "PROCESS-PATH-REGEX"},
    {"Protocol", "PROTOCOL"},
    {"RuleSet", "RULE-SET"},
    {"SubRules", "SUB-RULE"},
    {"Match", "MATCH"},
}};

/// "DomainSuffix" -> "DOMAIN-SUFFIX"; what has no other name is itself.
[[nodiscard]] constexpr std::string_view written_type(std::string_view api) noexcept {
  const auto* const found = std::ranges::find(kRuleTypeNames, api, &RuleTypeNames::api);
  return found == kRuleTypeNames.end() ? api : found->written;
}

}  // namespace sluice::contract
