// app/memory_pools.h - the pools and caches of the data plane as ReadMemory shows them.
//
// Pools count their own bytes; of tables made of nodes the bytes are items times the size of one,
// without texts that do not fit into it.
#pragma once

#include <mutex>

#include "dataplane/app/ledger.h"
#include "dataplane/flow/engine.h"
#include "proto/contract/memory_report.h"
#include "proto/runtime/buffer/budget.h"

namespace sluice::app {

/// On the engine's worker.
[[nodiscard]] contract::MemoryReport memory_of(flow::Engine& engine);
/// What all slices together are charged to.
[[nodiscard]] contract::MemoryPool memory_of(const MemoryBudget& budget);
[[nodiscard]] contract::MemoryPool memory_of(const Ledger& ledger);

/// Adds up what the workers say, pool by pool, in the order of the first. Thread: any.
class MemorySum {
 public:
  void add(const contract::MemoryReport& part);
  [[nodiscard]] contract::MemoryReport take();

 private:
  std::mutex mutex_;
  contract::MemoryReport sum_;
};

}  // namespace sluice::app
