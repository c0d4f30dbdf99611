#include "dataplane/flow/decision_log.h"

#include "proto/contract/rule_type.h"

namespace sluice::flow {

std::string decision_text(const contract::FlowInfo& info) {
  std::string out = info.network == Network::tcp ? "tcp " : "udp ";
  out += info.source.to_string() + " -> " + info.destination.to_string();
  if (info.rule_index < 0) {
    out += " rule=none";
  } else {
    out += " rule=" + (info.rule_list.empty() ? std::string() : info.rule_list + "/") +
           std::to_string(info.rule_index) + " (" + std::string(contract::written_type(info.rule));
    if (!info.rule_payload.empty()) out += "," + info.rule_payload;
    out += ")";
  }
  out += " via=";
  for (std::size_t i = info.chains.size(); i-- > 0;) out += info.chains[i] + (i > 0 ? " > " : "");
  return out;
}

}  // namespace sluice::flow
