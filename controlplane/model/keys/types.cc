#include "controlplane/model/keys/types.h"

namespace sluice::model::keys {
namespace {

using contract::InboundType;

constexpr GroupType kGroupTypes[] = {
    {"select", "Selector", State::built},   {"url-test", "URLTest", State::later},
    {"fallback", "Fallback", State::later}, {"load-balance", "LoadBalance", State::later},
    {"smart", "Smart", State::later},       {"relay", "Relay", State::removed},
};

constexpr RuleTypeName kRuleTypes[] = {
    {"DOMAIN", RuleType::domain},
    {"DOMAIN-SUFFIX", RuleType::domain_suffix},
    {"DOMAIN-KEYWORD", RuleType::domain_keyword},
    {"IP-CIDR", RuleType::ip_cidr},
    {"IP-CIDR6", RuleType::ip_cidr},
    {"SRC-IP-CIDR", RuleType::src_ip_cidr},
    {"DST-PORT", RuleType::dst_port},
    {"SRC-PORT", RuleType::src_port},
    {"NETWORK", RuleType::network},
    {"IN-TYPE", RuleType::in_type},
    {"MATCH", RuleType::match},
    {"DOMAIN-WILDCARD", {}},
    {"DOMAIN-REGEX", {}},
    {"GEOSITE", {}},
    {"GEOIP", {}},
    {"SRC-GEOIP", {}},
    {"IP-ASN", {}},
    {"SRC-IP-ASN", {}},
    {"IP-SUFFIX", {}},
    {"SRC-IP-SUFFIX", {}},
    {"IN-PORT", {}},
    {"IN-USER", {}},
    {"IN-NAME", {}},
    {"REMATCH-NAME", {}},
    {"DSCP", {}},
    {"UID", {}},
    {"PROCESS-NAME", {}},
    {"PROCESS-NAME-REGEX", {}},
    {"PROCESS-NAME-WILDCARD", {}},
    {"PROCESS-PATH", {}},
    {"PROCESS-PATH-REGEX", {}},
    {"PROCESS-PATH-WILDCARD", {}},
    {"RULE-SET", {}},
    {"AND", {}},
    {"OR", {}},
    {"NOT", {}},
    {"SUB-RULE", {}},
};

// "SOCKS" stands for SOCKS4 and SOCKS5: two rows of one name.
constexpr InType kInTypes[] = {
    {"HTTP", InboundType::http},
    {"HTTPS", InboundType::https},
    {"SOCKS", InboundType::socks4},
    {"SOCKS", InboundType::socks5},
    {"SOCKS4", InboundType::socks4},
    {"SOCKS5", InboundType::socks5},
    {"REDIR", InboundType::redir},
    {"TPROXY", InboundType::tproxy},
    {"INNER", InboundType::inner},
    {"SHADOWSOCKS", {}},
    {"SNELL", {}},
    {"VMESS", {}},
    {"VLESS", {}},
    {"TROJAN", {}},
    {"TUNNEL", {}},
    {"TUN", {}},
    {"TUIC", {}},
    {"HYSTERIA2", {}},
    {"ANYTLS", {}},
    {"MIERU", {}},
    {"SUDOKU", {}},
    {"TRUSTTUNNEL", {}},
    {"SHADOWQUIC", {}},
};

}  // namespace

std::span<const GroupType> group_types() noexcept {
  return kGroupTypes;
}
std::span<const RuleTypeName> rule_types() noexcept {
  return kRuleTypes;
}
std::span<const InType> in_types() noexcept {
  return kInTypes;
}

}  // namespace sluice::model::keys
