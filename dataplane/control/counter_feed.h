// control/counter_feed.h - counted bytes from the moment Core hands them over until they are
// acknowledged.
//
//   add(deltas) -> batches 7, 8, 9 -> front() is 7 until acknowledge({epoch, >= 7})
//
// Pure state: no gRPC, no clock. Thread: the control thread.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <iterator>
#include <utility>
#include <vector>

#include "dataplane/control/bounds.h"
#include "proto/contract/counters.h"

namespace sluice::control {

class CounterFeed {
 public:
  explicit CounterFeed(std::uint64_t epoch) noexcept : epoch_(epoch) {}

  /// `final`: nothing will be counted after these.
  void add(std::vector<contract::CounterDelta> deltas, bool final = false) {
    for (auto at = deltas.begin(); at != deltas.end();) {
      const auto left = static_cast<std::size_t>(std::distance(at, deltas.end()));
      const auto end = std::next(at, static_cast<std::ptrdiff_t>(std::min(left, kDeltasPerBatch)));
      pending_.push_back(
          {epoch_, ++sequence_, {std::make_move_iterator(at), std::make_move_iterator(end)}});
      at = end;
    }
    if (!final) return;
    if (deltas.empty()) pending_.push_back({epoch_, ++sequence_, {}});
    pending_.back().final = true;
  }
  /// Drops what the cursor covers. A cursor of another life, or beyond what exists, covers nothing.
  void acknowledge(const contract::CounterCursor& cursor) {
    if (cursor.epoch != epoch_ || cursor.sequence > sequence_) return;
    while (!pending_.empty() && pending_.front().sequence <= cursor.sequence) pending_.pop_front();
  }
  /// The oldest batch that is not acknowledged; nullptr when there is none.
  [[nodiscard]] const contract::CounterBatch* front() const noexcept {
    return pending_.empty() ? nullptr : &pending_.front();
  }

 private:
  std::uint64_t epoch_;
  std::uint64_t sequence_ = 0;
  std::deque<contract::CounterBatch> pending_;
};

}  // namespace sluice::control
