#include "dataplane/flow/flow_table.h"

#include <algorithm>
#include <iterator>
#include <unordered_map>
#include <utility>

#include "proto/common/clock.h"
#include "proto/common/hash.h"

namespace sluice::flow {
namespace {

/// Closed flows kept between two looks; the oldest is forgotten first.
constexpr std::size_t kClosedKept = 1024;

contract::CounterKey key_of(const contract::FlowInfo& info) {
  contract::CounterKey key;
  key.client = info.source.ip;
  if (!info.chains.empty()) key.outbound = info.chains.front();
  if (info.rule_index >= 0)
    key.rule = info.rule_payload.empty() ? info.rule : info.rule + "," + info.rule_payload;
  key.host = info.destination.host();
  key.user = info.user;
  key.network = info.network;
  return key;
}

struct KeyHash {
  std::size_t operator()(const contract::CounterKey& k) const noexcept {
    std::uint64_t h = hash_value(k.client);
    h = hash_bytes(as_byte_view(k.host), h);
    h = hash_bytes(as_byte_view(k.outbound), h);
    return static_cast<std::size_t>(hash_bytes(as_byte_view(k.rule), h));
  }
};

template <class T>
bool contains(std::span<const T> all, const T& one) {
  return std::ranges::find(all, one) != all.end();
}

}  // namespace

Flow::Flow(FlowTable& table, contract::FlowInfo record) : info(std::move(record)), table_(table) {
  info.start_wall_ms = wall_ms();
  table_.enter(*this);
}

Flow::~Flow() {
  table_.leave(*this);
}

contract::FlowInfo Flow::snapshot() const {
  contract::FlowInfo out = info;
  out.upload = meter.upload;
  out.download = meter.download;
  if (dialled.ip.valid()) out.remote = dialled.to_string();
  return out;
}

void Flow::close_because(std::string_view reason) {
  if (info.close_reason.empty()) info.close_reason = reason;
}

void Flow::cancel(std::string_view reason) {
  close_because(reason);
  scope.cancel();
  if (cancel_sink_ != nullptr) cancel_sink_->on_ready();
}

void FlowTable::enter(Flow& flow) noexcept {
  flow.info.id = next_id_;
  next_id_ += step_;
  flow.next_ = first_;
  if (first_ != nullptr) first_->previous_ = &flow;
  first_ = &flow;
  ++count_;
}

void FlowTable::leave(Flow& flow) {
  (flow.previous_ != nullptr ? flow.previous_->next_ : first_) = flow.next_;
  if (flow.next_ != nullptr) flow.next_->previous_ = flow.previous_;
  --count_;
  account(flow);
  past_.upload += flow.meter.upload;
  past_.download += flow.meter.download;
  if (!watched_) return;
  if (closed_.size() >= kClosedKept) closed_.pop_front();
  flow.info.state = contract::FlowState::closed;
  closed_.push_back(flow.snapshot());
}

void FlowTable::account(Flow& flow) {
  const std::uint64_t up = flow.meter.upload - flow.accounted_.upload;
  const std::uint64_t down = flow.meter.download - flow.accounted_.download;
  // A flow that was never decided has no outbound to count for.
  if (flow.info.chains.empty() || (up == 0 && down == 0 && flow.opened_accounted_)) return;
  deltas_.push_back({key_of(flow.info), up, down, flow.opened_accounted_ ? 0ULL : 1ULL});
  flow.accounted_ = flow.meter;
  flow.opened_accounted_ = true;
}

std::vector<contract::FlowInfo> FlowTable::list() const {
  std::vector<contract::FlowInfo> out;
  out.reserve(count_);
  for (const Flow* flow = first_; flow != nullptr; flow = flow->next_)
    out.push_back(flow->snapshot());
  return out;
}

void FlowTable::watch(bool on) noexcept {
  watched_ = on;
  if (!on) closed_.clear();
}

std::vector<contract::FlowInfo> FlowTable::take_closed() {
  std::vector<contract::FlowInfo> out(std::make_move_iterator(closed_.begin()),
                                      std::make_move_iterator(closed_.end()));
  closed_.clear();
  return out;
}

std::size_t FlowTable::close(std::span<const std::uint64_t> ids, std::string_view reason) {
  std::size_t found = 0;
  for (Flow* flow = first_; flow != nullptr;) {
    Flow* next = flow->next_;  // cancel() only queues, but be safe about the list
    if (ids.empty() || std::ranges::find(ids, flow->id()) != ids.end()) {
      flow->cancel(reason);
      ++found;
    }
    flow = next;
  }
  return found;
}

void FlowTable::close_removed(std::span<const std::string> outbounds,
                              std::span<const std::string> listeners) {
  for (Flow* flow = first_; flow != nullptr; flow = flow->next_) {
    const auto& chains = flow->info.chains;
    const bool outbound = std::ranges::any_of(
        chains, [&](const std::string& name) { return contains(outbounds, name); });
    if (outbound || contains(listeners, flow->info.inbound_name))
      flow->cancel("its outbound or listener was removed");
  }
}

void FlowTable::close_from(std::span<const IpAddress> addresses) {
  for (Flow* flow = first_; flow != nullptr; flow = flow->next_) {
    if (flow->upstream != nullptr && contains(addresses, flow->upstream->local().ip))
      flow->cancel("this machine lost the address it came from");
  }
}

std::vector<contract::CounterDelta> FlowTable::take_deltas() {
  for (Flow* flow = first_; flow != nullptr; flow = flow->next_) account(*flow);
  if (deltas_.empty()) return {};
  std::unordered_map<contract::CounterKey, contract::CounterDelta, KeyHash> merged;
  for (contract::CounterDelta& d : deltas_) {
    auto& sum = merged.try_emplace(d.key, contract::CounterDelta{d.key}).first->second;
    sum.upload += d.upload;
    sum.download += d.download;
    sum.flows += d.flows;
  }
  deltas_.clear();
  std::vector<contract::CounterDelta> out;
  out.reserve(merged.size());
  for (auto& [key, delta] : merged) out.push_back(std::move(delta));
  return out;
}

Meter FlowTable::totals() const noexcept {
  Meter sum = past_;
  for (const Flow* flow = first_; flow != nullptr; flow = flow->next_) {
    sum.upload += flow->meter.upload;
    sum.download += flow->meter.download;
  }
  return sum;
}

}  // namespace sluice::flow
