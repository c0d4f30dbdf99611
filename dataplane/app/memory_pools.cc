#include "dataplane/app/memory_pools.h"

#include <algorithm>
#include <utility>

#include "dataplane/flow/association.h"
#include "dataplane/flow/limits.h"
#include "dataplane/flow/nat.h"
#include "proto/runtime/buffer/slice_pool.h"
#include "proto/runtime/loop/frame_pool.h"

namespace sluice::app {

using contract::MemoryPool;
using contract::WhenFull;

contract::MemoryReport memory_of(flow::Engine& engine) {
  Worker& worker = engine.worker();
  const SlicePool& slices = worker.slices();
  const PipePool& pipes = worker.pipes();
  const flow::FlowTable& flows = engine.flows();
  const std::uint64_t answers = engine.names().known_count();
  const std::uint64_t clients = engine.nat().count();
  const std::uint64_t bound = engine.bindings().count();
  return {
      {.name = "slices",
       .used_bytes = slices.warm_count() * kBlockBytes,
       .high_bytes = slices.most_used() * kBlockBytes,
       .items = slices.used_count(),
       .when_full = WhenFull::waits},
      {.name = "pipes",
       .used_bytes = pipes.held_bytes(),
       .bound_bytes = pipes.max_bytes(),
       .items = pipes.idle_count(),
       .when_full = WhenFull::waits},
      {.name = "coroutine-frames", .used_bytes = frame_pool::held(), .when_full = WhenFull::grows},
      {.name = "flow-records",
       .used_bytes = flows.count() * sizeof(flow::FlowRecord),
       .items = flows.count(),
       .when_full = WhenFull::grows},
      {.name = "counter-rows",
       .used_bytes = flows.counters().bytes(),
       .items = flows.counters().rows(),
       .max_items = flow::kCounterRows + flow::kCounterRows / 8,
       .when_full = WhenFull::merges},
      {.name = "udp-clients",
       .used_bytes = clients * sizeof(flow::Association),
       .items = clients,
       .max_items = engine.nat().bound(),
       .when_full = WhenFull::evicts},
      {.name = "name-cache",
       .used_bytes = answers * flow::NameService::kKnownBytes,
       .items = answers,
       .max_items = flow::kNamesPerWorker,
       .when_full = WhenFull::evicts},
      {.name = "bindings",
       .used_bytes = bound * (sizeof(contract::Binding) + sizeof(IpAddress)),
       .items = bound,
       .when_full = WhenFull::grows},
  };
}

MemoryPool memory_of(const MemoryBudget& budget) {
  return {.name = "budget",
          .used_bytes = budget.used(),
          .bound_bytes = budget.bound(),
          .when_full = WhenFull::waits};
}

MemoryPool memory_of(const Ledger& ledger) {
  const std::uint64_t keys = ledger.count();
  return {.name = "untaken-counters",
          .used_bytes = keys * (sizeof(contract::CounterKey) + sizeof(contract::CounterDelta)),
          .items = keys,
          .max_items = Ledger::kMaxKeys + Ledger::kMaxKeys / 8,
          .when_full = WhenFull::merges};
}

void MemorySum::add(const contract::MemoryReport& part) {
  const std::lock_guard lock(mutex_);
  for (const MemoryPool& pool : part) {
    const auto known = std::ranges::find(sum_, pool.name, &MemoryPool::name);
    if (known == sum_.end()) {
      sum_.push_back(pool);
      continue;
    }
    known->used_bytes += pool.used_bytes;
    known->bound_bytes += pool.bound_bytes;
    known->high_bytes += pool.high_bytes;
    known->items += pool.items;
    known->max_items += pool.max_items;
  }
}

contract::MemoryReport MemorySum::take() {
  const std::lock_guard lock(mutex_);
  return std::exchange(sum_, {});
}

}  // namespace sluice::app
