// app/ledger.h - counter deltas of all workers until somebody takes them.
//
// Merged by key, so that a reader that is away costs memory by the number of keys, not by time;
// past kMaxKeys hosts are folded into "other", past an eighth more clients and users too: bytes are
// never lost. Thread: any.
#pragma once

#include <mutex>
#include <unordered_map>
#include <vector>

#include "proto/contract/counters.h"

namespace sluice::app {

class Ledger {
 public:
  static constexpr std::size_t kMaxKeys = 32768;
  void add(std::vector<contract::CounterDelta> deltas);
  [[nodiscard]] std::vector<contract::CounterDelta> take();
  [[nodiscard]] std::size_t count() const;

 private:
  struct Hash {
    std::size_t operator()(const contract::CounterKey& key) const noexcept;
  };
  mutable std::mutex mutex_;
  std::unordered_map<contract::CounterKey, contract::CounterDelta, Hash> merged_;
};

}  // namespace sluice::app
