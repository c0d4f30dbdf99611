#include "controlplane/compile/rules.h"

#include "proto/ruleset/builder.h"

namespace sluice::compile {
namespace {

std::vector<ruleset::PortRange> port_ranges(const model::Rule& rule) {
  std::vector<ruleset::PortRange> out;
  for (const model::PortRange& r : std::get<std::vector<model::PortRange>>(rule.payload))
    out.push_back({r.first, r.last});
  return out;
}

std::vector<std::uint8_t> inbound_codes(const model::Rule& rule) {
  std::vector<std::uint8_t> out;
  for (const auto type : std::get<std::vector<contract::InboundType>>(rule.payload))
    out.push_back(static_cast<std::uint8_t>(type));
  return out;
}

void add(ruleset::Builder& block, const model::Rule& rule) {
  using model::RuleType;
  switch (rule.type) {
    case RuleType::domain:
      block.domain(std::get<std::string>(rule.payload));
      break;
    case RuleType::domain_suffix:
      block.domain_suffix(std::get<std::string>(rule.payload));
      break;
    case RuleType::domain_keyword:
      block.domain_keyword(std::get<std::string>(rule.payload));
      break;
    case RuleType::ip_cidr:
      block.destination(std::get<Prefix>(rule.payload),
                        rule.no_resolve ? ruleset::Resolve::no : ruleset::Resolve::yes);
      break;
    case RuleType::src_ip_cidr:
      block.source(std::get<Prefix>(rule.payload));
      break;
    case RuleType::dst_port:
      block.destination_ports(port_ranges(rule));
      break;
    case RuleType::src_port:
      block.source_ports(port_ranges(rule));
      break;
    case RuleType::network:
      block.network(std::get<Network>(rule.payload));
      break;
    case RuleType::in_type:
      block.in_types(inbound_codes(rule));
      break;
    case RuleType::match:
      block.always();
      break;
  }
}

}  // namespace

Result<Rules> compile_rules(const std::vector<model::Rule>& rules, const Outbounds& outbounds) {
  Rules out;
  out.lines.reserve(rules.size());
  ruleset::Builder block;
  for (const model::Rule& rule : rules) {
    out.lines.push_back({std::string(model::api_name(rule.type)), rule.payload_text,
                         outbounds.of(rule.target), rule.index});
    add(block, rule);
  }
  auto bytes = block.finish();
  if (!bytes) return fail(bytes.error());
  out.block = std::move(*bytes);
  return out;
}

}  // namespace sluice::compile
