#include "controlplane/compile/sniff_lists.h"

#include "controlplane/compile/used_lists.h"

namespace sluice::compile {
namespace {

contract::SniffPorts compile_ports(const model::SniffPorts& in) {
  contract::SniffPorts out;
  for (const model::PortRange& range : in.ports) out.ports.push_back({range.first, range.last});
  out.override_destination = in.override_destination;
  return out;
}

}  // namespace

std::vector<SniffEntry> sniff_lists(const model::Config& config) {
  std::vector<SniffEntry> out;
  const model::Sniffer& s = config.sniffer;
  if (!s.enable) return out;
  const auto add = [&out](const model::SniffList& list, auto entry) {
    if (!list.empty()) out.push_back({&list, entry});
  };
  add(s.force_domain, &contract::Sniffer::force_domain);
  add(s.skip_domain, &contract::Sniffer::skip_domain);
  add(s.skip_src_address, &contract::Sniffer::skip_source);
  add(s.skip_dst_address, &contract::Sniffer::skip_destination);
  return out;
}

model::Condition condition_of(const model::SniffList& list) {
  model::Condition out;
  out.op = model::Condition::Op::any;
  for (const model::Atom& atom : list.atoms) out.operands.push_back(model::Condition::of(atom));
  return out;
}

contract::Sniffer compile_sniffer(const model::Config& config) {
  contract::Sniffer out;
  if (!config.sniffer.enable) return out;
  out.enable = true;
  out.http = compile_ports(config.sniffer.http);
  out.tls = compile_ports(config.sniffer.tls);
  out.quic = compile_ports(config.sniffer.quic);
  out.force_dns_mapping = config.sniffer.force_dns_mapping;
  out.parse_pure_ip = config.sniffer.parse_pure_ip;
  auto entry = static_cast<std::uint32_t>(entry_lists(config).size()) + 1;
  for (const SniffEntry& list : sniff_lists(config)) out.*list.entry = entry++;
  return out;
}

}  // namespace sluice::compile
