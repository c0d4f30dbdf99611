#include "controlplane/model/keys/rule_types.h"

#include <algorithm>

#include "proto/common/text.h"

namespace sluice::model::keys {
namespace {

constexpr RuleType atom(std::string_view name, AtomKind kind) {
  return {name, RuleForm::atom, kind, false};
}
constexpr RuleType source(std::string_view name, AtomKind kind) {
  return {name, RuleForm::atom, kind, true};
}
constexpr RuleType form(std::string_view name, RuleForm form) {
  return {name, form, AtomKind::domain, false};
}

// The most frequent ones first: a row is found by a walk.
constexpr RuleType kRuleTypes[] = {
    atom("DOMAIN-SUFFIX", AtomKind::domain_suffix),
    atom("DOMAIN", AtomKind::domain),
    atom("IP-CIDR", AtomKind::ip_cidr),
    atom("DOMAIN-KEYWORD", AtomKind::domain_keyword),
    atom("IP-CIDR6", AtomKind::ip_cidr),
    atom("DOMAIN-WILDCARD", AtomKind::domain_wildcard),
    atom("DOMAIN-REGEX", AtomKind::domain_regex),
    atom("RULE-SET", AtomKind::rule_set),
    atom("GEOSITE", AtomKind::geosite),
    atom("GEOIP", AtomKind::geoip),
    atom("IP-ASN", AtomKind::ip_asn),
    atom("IP-SUFFIX", AtomKind::ip_suffix),
    source("SRC-IP-CIDR", AtomKind::ip_cidr),
    source("SRC-GEOIP", AtomKind::geoip),
    source("SRC-IP-ASN", AtomKind::ip_asn),
    source("SRC-IP-SUFFIX", AtomKind::ip_suffix),
    atom("SRC-MAC", AtomKind::src_mac),
    atom("DST-PORT", AtomKind::dst_port),
    atom("SRC-PORT", AtomKind::src_port),
    atom("IN-PORT", AtomKind::in_port),
    atom("NETWORK", AtomKind::network),
    atom("IN-TYPE", AtomKind::in_type),
    atom("IN-NAME", AtomKind::in_name),
    atom("IN-USER", AtomKind::in_user),
    atom("REMATCH-NAME", AtomKind::rematch_name),
    atom("DSCP", AtomKind::dscp),
    atom("UID", AtomKind::uid),
    atom("TIME", AtomKind::time),
    atom("PROCESS-NAME", AtomKind::process_name),
    atom("PROCESS-NAME-WILDCARD", AtomKind::process_name_wildcard),
    atom("PROCESS-NAME-REGEX", AtomKind::process_name_regex),
    atom("PROCESS-PATH", AtomKind::process_path),
    atom("PROCESS-PATH-WILDCARD", AtomKind::process_path_wildcard),
    atom("PROCESS-PATH-REGEX", AtomKind::process_path_regex),
    atom("PROTOCOL", AtomKind::protocol),
    form("AND", RuleForm::all),
    form("OR", RuleForm::any),
    form("NOT", RuleForm::negation),
    form("SUB-RULE", RuleForm::sub_rule),
    form("MATCH", RuleForm::always),
};

}  // namespace

std::span<const RuleType> rule_types() noexcept {
  return kRuleTypes;
}

const RuleType* find_rule_type(std::string_view name) noexcept {
  const auto it = std::ranges::find_if(
      kRuleTypes, [&](const RuleType& row) { return iequals(row.name, name); });
  return it == std::end(kRuleTypes) ? nullptr : it;
}

std::string_view name_of(AtomKind kind, bool source) noexcept {
  const auto it = std::ranges::find_if(kRuleTypes, [&](const RuleType& row) {
    return row.form == RuleForm::atom && row.kind == kind && row.source == source;
  });
  return it == std::end(kRuleTypes) ? "RULE-SET" : it->name;
}

}  // namespace sluice::model::keys
