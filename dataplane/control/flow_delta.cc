#include "dataplane/control/flow_delta.h"

#include <unordered_set>
#include <utility>

#include "proto/common/hash.h"

namespace sluice::control {
namespace {

std::uint64_t hash_rest(const contract::FlowInfo& flow) {
  std::uint64_t h = mix64(static_cast<std::uint64_t>(flow.state),
                          static_cast<std::uint64_t>(static_cast<std::int64_t>(flow.rule_index)));
  h = hash_bytes(as_byte_view(flow.destination.name), h);
  h = hash_bytes(flow.destination.ip.bytes(), h);
  h = hash_bytes(as_byte_view(flow.user), h);
  h = hash_bytes(as_byte_view(flow.remote), h);
  h = hash_bytes(as_byte_view(flow.rule), h);
  h = hash_bytes(as_byte_view(flow.rule_payload), h);
  h = hash_bytes(as_byte_view(flow.rule_list), h);
  for (const std::string& name : flow.chains) h = hash_bytes(as_byte_view(name), h);
  return h;
}

}  // namespace

contract::FlowEvents FlowDelta::next(std::vector<contract::FlowInfo> table,
                                     std::vector<contract::FlowInfo> closed, std::uint64_t lost) {
  contract::FlowEvents out;
  out.lost = lost;
  out.reset = turn_ == 0 || lost != 0;
  if (out.reset) seen_.clear();
  ++turn_;
  // The table may be older than a closing record: what is closed is not open.
  std::unordered_set<std::uint64_t> ended;
  for (const contract::FlowInfo& flow : closed) {
    ended.insert(flow.id);
    seen_.erase(flow.id);
  }
  out.closed = std::move(closed);
  for (contract::FlowInfo& flow : table)
    if (!ended.contains(flow.id)) add(flow, out);
  if (forget_vanished() && !out.reset) {
    // A flow ended without a record. The reader must not keep it for ever: start anew.
    seen_.clear();
    turn_ = 0;
    auto whole = next(std::move(table), std::move(out.closed), 0);
    return whole;
  }
  return out;
}

void FlowDelta::add(contract::FlowInfo& flow, contract::FlowEvents& out) {
  const std::uint64_t rest = hash_rest(flow);
  const auto [at, fresh] = seen_.try_emplace(flow.id);
  Seen& seen = at->second;
  if (fresh || seen.rest != rest)
    out.flows.push_back(flow);
  else if (seen.upload != flow.upload || seen.download != flow.download)
    out.progress.push_back(
        {flow.id, flow.upload, flow.download, flow.upload_packets, flow.download_packets});
  seen = Seen{flow.upload, flow.download, rest, turn_, false};
}

/// True when a flow is missing for the second turn: its closing record will not come.
bool FlowDelta::forget_vanished() {
  bool vanished = false;
  for (auto& [id, seen] : seen_) {
    if (seen.turn == turn_) continue;
    vanished = vanished || seen.missing;
    seen.missing = true;
  }
  return vanished;
}

}  // namespace sluice::control
