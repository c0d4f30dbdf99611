// flow/flow_table.h - all flows of one worker, and the deltas of their counters.
//
// Owner: the engine. Thread: its worker; other threads see copies that were made here.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "dataplane/flow/counter_table.h"
#include "dataplane/flow/flow.h"
#include "proto/contract/counters.h"
#include "proto/contract/flow_info.h"

namespace sluice::flow {

class FlowTable {
 public:
  /// Ids are `worker` plus multiples of `workers`, so that an id tells its worker.
  FlowTable(unsigned worker, unsigned workers) noexcept
      : next_id_(worker + workers), step_(workers) {}
  FlowTable(const FlowTable&) = delete;
  FlowTable& operator=(const FlowTable&) = delete;

  [[nodiscard]] std::size_t count() const noexcept { return count_; }
  [[nodiscard]] std::vector<contract::FlowInfo> list() const;
  /// While on, the final states of flows are kept for take_closed(), the newest kClosedKept.
  void watch(bool on) noexcept;
  [[nodiscard]] std::vector<contract::FlowInfo> take_closed();
  /// Returns how many were found; `ids` empty = all.
  std::size_t close(std::span<const std::uint64_t> ids, CloseCause cause);
  /// Flows through an outbound, or in through a listener, that no longer exists.
  void close_removed(std::span<const std::string> outbounds,
                     std::span<const std::string> listeners);
  /// Flows whose own address towards the upstream is one of these, which the machine lost.
  void close_from(std::span<const IpAddress> addresses);
  /// Deltas since the last call, one per counter key.
  [[nodiscard]] std::vector<contract::CounterDelta> take_deltas();
  /// Bytes of all flows ever, as of the last take_deltas().
  [[nodiscard]] const Meter& totals() const noexcept { return totals_; }
  [[nodiscard]] const CounterTable& counters() const noexcept { return counters_; }

 private:
  friend class Flow;
  void enter(Flow& flow) noexcept;
  void leave(Flow& flow);
  void account(Flow& flow);
  [[nodiscard]] std::unique_ptr<FlowRecord> take_record();
  void keep_record(std::unique_ptr<FlowRecord> record) noexcept;

  Flow* first_ = nullptr;
  std::size_t count_ = 0;
  std::uint64_t next_id_;
  std::uint64_t step_;
  Meter totals_;
  CounterTable counters_;
  std::vector<std::unique_ptr<FlowRecord>> spare_;
  std::deque<contract::FlowInfo> closed_;  ///< oldest first
  bool watched_ = false;
};

}  // namespace sluice::flow
