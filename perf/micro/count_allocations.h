// micro/count_allocations.h - counts operator new of the whole program. For one source per program.
#pragma once

#include <benchmark/benchmark.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <new>

namespace sluice::perf {

inline std::atomic<std::uint64_t> allocations{0};

/// Reports allocations per iteration since `before`; they must be 0.
inline void expect_none(benchmark::State& state, std::uint64_t before) {
  const std::uint64_t count = allocations.load(std::memory_order_relaxed) - before;
  state.counters["allocs"] = static_cast<double>(count) / static_cast<double>(state.iterations());
  if (count != 0) state.SkipWithError("a decision allocated");
}
inline std::uint64_t so_far() {
  return allocations.load(std::memory_order_relaxed);
}

}  // namespace sluice::perf

// Not inlined: GCC would take free() for the wrong partner of operator new.
__attribute__((noinline)) void* operator new(std::size_t size) {
  sluice::perf::allocations.fetch_add(1, std::memory_order_relaxed);
  if (void* const block = std::malloc(size == 0 ? 1 : size)) return block;
  throw std::bad_alloc();
}
__attribute__((noinline)) void operator delete(void* block) noexcept {
  std::free(block);
}
__attribute__((noinline)) void operator delete(void* block, std::size_t) noexcept {
  std::free(block);
}
