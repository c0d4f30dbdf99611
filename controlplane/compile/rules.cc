#include "controlplane/compile/rules.h"

#include "proto/ruleset/builder.h"

namespace sluice::compile {
namespace {

std::vector<ruleset::PortRange> port_ranges(const model::Atom& atom) {
  std::vector<ruleset::PortRange> out;
  for (const model::PortRange& r : std::get<std::vector<model::PortRange>>(atom.payload))
    out.push_back({r.first, r.last});
  return out;
}

std::vector<std::uint8_t> inbound_codes(const model::Atom& atom) {
  std::vector<std::uint8_t> out;
  for (const auto type : std::get<std::vector<contract::InboundType>>(atom.payload))
    out.push_back(static_cast<std::uint8_t>(type));
  return out;
}

void add_prefix(ruleset::Builder& block, const model::Atom& atom) {
  const Prefix& prefix = std::get<Prefix>(atom.payload);
  if (atom.source)
    block.source(prefix);
  else
    block.destination(prefix, atom.no_resolve ? ruleset::Resolve::no : ruleset::Resolve::yes);
}

void add_atom(ruleset::Builder& block, const model::Atom& atom) {
  using model::AtomKind;
  switch (atom.kind) {
    case AtomKind::domain:
      block.domain(std::get<std::string>(atom.payload));
      break;
    case AtomKind::domain_suffix:
      block.domain_suffix(std::get<std::string>(atom.payload));
      break;
    case AtomKind::domain_keyword:
      block.domain_keyword(std::get<std::string>(atom.payload));
      break;
    case AtomKind::ip_cidr:
      add_prefix(block, atom);
      break;
    case AtomKind::dst_port:
      block.destination_ports(port_ranges(atom));
      break;
    case AtomKind::src_port:
      block.source_ports(port_ranges(atom));
      break;
    case AtomKind::network:
      block.network(std::get<Network>(atom.payload));
      break;
    case AtomKind::in_type:
      block.in_types(inbound_codes(atom));
      break;
    default:  // the model leaves out lines of other types
      block.never();
      break;
  }
}

void add(ruleset::Builder& block, const model::Rule& rule) {
  using Op = model::Condition::Op;
  if (rule.condition.op == Op::always)
    block.always();
  else if (rule.condition.op == Op::atom)
    add_atom(block, rule.condition.atom);
  else
    block.never();  // likewise
}

}  // namespace

Result<Rules> compile_rules(const std::vector<model::Rule>& rules, const Outbounds& outbounds) {
  Rules out;
  out.lines.reserve(rules.size());
  ruleset::Builder block;
  for (const model::Rule& rule : rules) {
    out.lines.push_back({std::string(model::api_name(rule)), rule.payload_text,
                         outbounds.of(rule.target), rule.index});
    add(block, rule);
  }
  auto bytes = block.finish();
  if (!bytes) return fail(bytes.error());
  out.block = std::move(*bytes);
  return out;
}

}  // namespace sluice::compile
