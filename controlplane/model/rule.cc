#include "controlplane/model/rule.h"

#include "controlplane/model/keys/rule_types.h"

namespace sluice::model {
namespace {

/// As the first field has it: "DOMAIN-SUFFIX", "SRC-IP-CIDR", "AND".
std::string_view type_name(const Rule& rule) noexcept {
  if (rule.sub_rule) return "SUB-RULE";
  switch (rule.condition.op) {
    case Condition::Op::atom:
      return keys::name_of(rule.condition.atom.kind, rule.condition.atom.source && !rule.source);
    case Condition::Op::all:
      return "AND";
    case Condition::Op::any:
      return "OR";
    case Condition::Op::negation:
      return "NOT";
    case Condition::Op::always:
    case Condition::Op::never:
      break;
  }
  return "MATCH";
}

}  // namespace

std::string_view api_name(const Rule& rule) noexcept {
  if (rule.sub_rule) return "SubRules";
  switch (rule.condition.op) {
    case Condition::Op::atom:
      return api_name(rule.condition.atom.kind, rule.condition.atom.source);
    case Condition::Op::all:
      return "AND";
    case Condition::Op::any:
      return "OR";
    case Condition::Op::negation:
      return "NOT";
    case Condition::Op::always:
    case Condition::Op::never:
      break;
  }
  return "Match";
}

std::string to_text(const Rule& rule) {
  std::string out(type_name(rule));
  if (!rule.payload_text.empty()) out.append(",").append(rule.payload_text);
  out.append(",").append(rule.target);
  if (rule.source) out += ",src";
  if (rule.no_resolve) out += ",no-resolve";
  return out;
}

}  // namespace sluice::model
