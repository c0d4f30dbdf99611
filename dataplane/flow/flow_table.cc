#include "dataplane/flow/flow_table.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "dataplane/flow/decide.h"
#include "dataplane/flow/limits.h"
#include "proto/common/clock.h"
#include "proto/common/log.h"

namespace sluice::flow {
namespace {

/// Closed flows kept between two looks; the oldest is forgotten first.
constexpr std::size_t kClosedKept = 1024;

template <class T>
bool contains(std::span<const T> all, const T& one) {
  return std::ranges::find(all, one) != all.end();
}

void log_close(const Flow& flow) {
  SLUICE_LOG(debug, "flow", "id=%llu closed=%.*s up=%llu down=%llu",
             static_cast<unsigned long long>(flow.id()),
             SLUICE_SV(contract::text_of(flow.info.close)),
             static_cast<unsigned long long>(flow.meter.upload),
             static_cast<unsigned long long>(flow.meter.download));
}

}  // namespace

Flow::Flow(FlowTable& table, const contract::FlowInfo& shown)
    : table_(table), record_(table.take_record()), info(record_->info) {
  info = shown;
  info.start_wall_ms = wall_ms();
  table_.enter(*this);
}

Flow::Flow(FlowTable& table, const Request& request)
    : table_(table), record_(table.take_record()), info(record_->info) {
  describe_request(request, info);
  info.start_wall_ms = wall_ms();
  table_.enter(*this);
}

Flow::~Flow() {
  table_.leave(*this);
  table_.keep_record(std::move(record_));
}

contract::FlowInfo Flow::snapshot() const {
  contract::FlowInfo out = info;
  out.upload = meter.upload;
  out.download = meter.download;
  out.upload_packets = meter.upload_packets;
  out.download_packets = meter.download_packets;
  if (dialled.ip.valid()) out.remote = dialled.to_string();
  return out;
}

contract::FlowInfo& Flow::undecided() noexcept {
  if (info.chains.empty()) info.chains.swap(record_->names);
  return info;
}

void Flow::close_because(CloseCause cause) {
  if (info.close != contract::CloseReason::none) return;
  info.close = cause.reason;
  info.close_reason = cause.text;
}

void Flow::cancel(CloseCause cause) {
  close_because(cause);
  scope.cancel();
  if (cancel_sink_ != nullptr) cancel_sink_->on_ready();
}

std::unique_ptr<FlowRecord> FlowTable::take_record() {
  if (spare_.empty()) return std::make_unique<FlowRecord>();
  std::unique_ptr<FlowRecord> out = std::move(spare_.back());
  spare_.pop_back();
  return out;
}

/// Empties the texts and keeps their room.
void FlowTable::keep_record(std::unique_ptr<FlowRecord> record) noexcept {
  if (spare_.size() >= kSpareRecords) return;
  static const contract::FlowInfo kEmpty;
  if (record->names.empty()) record->names.swap(record->info.chains);
  record->info = kEmpty;
  spare_.push_back(std::move(record));
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
  if (flow.row_ != nullptr) counters_.let_go(*flow.row_);
  log_close(flow);
  if (!watched_) return;
  if (closed_.size() >= kClosedKept) closed_.pop_front();
  flow.info.state = contract::FlowState::closed;
  closed_.push_back(flow.snapshot());
}

void FlowTable::account(Flow& flow) {
  std::uint64_t opened = 0;
  if (flow.row_ == nullptr) {
    // A flow that was never decided has no outbound to count for.
    if (flow.info.chains.empty()) return;
    flow.row_ = &counters_.hold(flow.info);
    opened = 1;
  }
  const std::uint64_t up = flow.meter.upload - flow.counted_up_;
  const std::uint64_t down = flow.meter.download - flow.counted_down_;
  if ((up | down | opened) == 0) return;
  flow.counted_up_ = flow.meter.upload;
  flow.counted_down_ = flow.meter.download;
  totals_.upload += up;
  totals_.download += down;
  counters_.add(*flow.row_, up, down, opened);
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

std::size_t FlowTable::close(std::span<const std::uint64_t> ids, CloseCause cause) {
  std::size_t found = 0;
  for (Flow* flow = first_; flow != nullptr;) {
    Flow* next = flow->next_;  // cancel() only queues, but be safe about the list
    if (ids.empty() || std::ranges::find(ids, flow->id()) != ids.end()) {
      flow->cancel(cause);
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
      flow->cancel(
          {contract::CloseReason::outbound_removed, "its outbound or listener was removed"});
  }
}

void FlowTable::close_from(std::span<const IpAddress> addresses) {
  for (Flow* flow = first_; flow != nullptr; flow = flow->next_) {
    if (flow->upstream != nullptr && contains(addresses, flow->upstream->local().ip))
      flow->cancel(
          {contract::CloseReason::address_lost, "this machine lost the address it came from"});
  }
}

std::vector<contract::CounterDelta> FlowTable::take_deltas() {
  for (Flow* flow = first_; flow != nullptr; flow = flow->next_) account(*flow);
  return counters_.take();
}

}  // namespace sluice::flow
