// loop/frame_pool.h - memory for coroutine frames and small per-flow objects of one thread.
//
// Size classes of 64 bytes up to kMaxPooled, carved from 32 KiB slabs; a slab whose last object is
// freed goes back to the system (one spare per class is kept until trim()), so memory follows the
// flow count. A thread may charge its slabs to a budget: what lives is never refused its memory,
// but whoever would begin something new can ask whether the budget is spent.
//
// Thread: each thread has its own pool; an object must be freed on the thread that allocated it.
#pragma once

#include <cstddef>

namespace sluice {
class MemoryBudget;
}

namespace sluice::frame_pool {

inline constexpr std::size_t kMaxPooled = 4096;

/// Never returns nullptr: out of memory ends the process, as operator new would.
[[nodiscard]] void* allocate(std::size_t size) noexcept;
void release(void* memory, std::size_t size) noexcept;
/// Gives this thread's spare slabs back. Called about once a second.
void trim() noexcept;
/// This thread's slabs are charged to `budget` from now on, which outlives the thread.
void charge_to(MemoryBudget& budget) noexcept;
/// Bytes of slabs this thread holds.
[[nodiscard]] std::size_t held() noexcept;

/// Base class: `new` and `delete` of the derived type go through the pool.
struct Pooled {
  static void* operator new(std::size_t size) noexcept { return allocate(size); }
  static void operator delete(void* memory, std::size_t size) noexcept { release(memory, size); }
};

}  // namespace sluice::frame_pool
