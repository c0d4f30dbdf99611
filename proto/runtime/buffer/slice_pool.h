// buffer/slice_pool.h - a worker's blocks: bounded, recycled, given back to the kernel when idle.
//
// Blocks come from mmap'ed slabs and are never unmapped while the pool lives; trim() drops the
// pages of free blocks with MADV_DONTNEED, so resident memory follows use. The free list keeps its
// links outside the blocks, or touching them would bring the pages back.
//
// Owner: one worker. Thread: that worker's only. The bound is a lease from a MemoryBudget shared by
// all workers (design section 3); the pool asks for more slab by slab.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "proto/runtime/buffer/budget.h"
#include "proto/runtime/buffer/limits.h"

namespace sluice {

/// The head of every block; data follows. Internal to the buffer room.
struct Block {
  Block* next = nullptr;  ///< in a SliceQueue
  class SlicePool* pool = nullptr;
  std::uint32_t begin = 0;  ///< offsets from the block's start
  std::uint32_t end = 0;
};
inline constexpr std::size_t kBlockHead = 32;
static_assert(sizeof(Block) <= kBlockHead);
/// Bytes of one block that can hold data, heads and trailers.
inline constexpr std::size_t kBlockRoom = kBlockBytes - kBlockHead;

class SlicePool {
 public:
  explicit SlicePool(MemoryBudget& budget) noexcept : budget_(budget) {}
  SlicePool(const SlicePool&) = delete;
  SlicePool& operator=(const SlicePool&) = delete;
  /// Every slice must be gone.
  ~SlicePool();

  /// nullptr when the budget is spent or the system has no memory.
  [[nodiscard]] Block* take() noexcept;
  void give(Block* block) noexcept;

  /// Gives the pages of those blocks back to the kernel that lay free all the time since the last
  /// call. Called about once a second.
  void trim() noexcept;

  /// The most that were used at one time.
  [[nodiscard]] std::size_t most_used() const noexcept { return most_used_; }
  [[nodiscard]] std::size_t used_count() const noexcept { return used_; }
  /// Blocks with pages behind them: used or recently free.
  [[nodiscard]] std::size_t warm_count() const noexcept { return used_ + warm_.size(); }

 private:
  bool grow() noexcept;

  MemoryBudget& budget_;
  std::vector<void*> slabs_;
  std::vector<Block*> warm_;  ///< free, pages present
  std::vector<Block*> cold_;  ///< free, pages dropped; not counted in the budget
  std::size_t used_ = 0;
  std::size_t least_warm_ = 0;  ///< fewest in warm_ since the last trim
  std::size_t most_used_ = 0;
};

}  // namespace sluice
