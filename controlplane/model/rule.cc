#include "controlplane/model/rule.h"

#include "controlplane/model/keys/rule_types.h"

namespace sluice::model {
namespace {

/// Of a condition that holds others: files and dashboards spell these alike. Empty for the rest.
std::string_view logic_name(Condition::Op op) noexcept {
  switch (op) {
    case Condition::Op::all:
      return "AND";
    case Condition::Op::any:
      return "OR";
    case Condition::Op::negation:
      return "NOT";
    case Condition::Op::atom:
    case Condition::Op::always:
    case Condition::Op::never:
      break;
  }
  return {};
}

/// As the first field has it: "DOMAIN-SUFFIX", "SRC-IP-CIDR", "AND".
std::string_view type_name(const Rule& rule) noexcept {
  const Condition& c = rule.condition;
  if (rule.sub_rule) return "SUB-RULE";
  if (c.op == Condition::Op::atom) return keys::name_of(c.atom.kind, c.atom.source && !rule.source);
  const std::string_view logic = logic_name(c.op);
  return logic.empty() ? "MATCH" : logic;
}

}  // namespace

std::string_view api_name(const Rule& rule) noexcept {
  const Condition& c = rule.condition;
  if (rule.sub_rule) return "SubRules";
  if (c.op == Condition::Op::atom) return api_name(c.atom.kind, c.atom.source);
  const std::string_view logic = logic_name(c.op);
  return logic.empty() ? "Match" : logic;
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
