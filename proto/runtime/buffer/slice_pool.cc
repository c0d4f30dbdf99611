#include "proto/runtime/buffer/slice_pool.h"

#include <sys/mman.h>

#include <algorithm>
#include <cassert>
#include <new>
#include <utility>

namespace sluice {

SlicePool::~SlicePool() {
  assert(used_ == 0);
  budget_.release(warm_.size() * kBlockBytes);
  for (void* slab : slabs_) ::munmap(slab, kSlabBlocks * kBlockBytes);
}

bool SlicePool::grow() noexcept {
  void* slab = ::mmap(nullptr, kSlabBlocks * kBlockBytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (slab == MAP_FAILED) return false;
  slabs_.push_back(slab);
  // Room for every block in both lists at once, so that give() and trim() never allocate.
  const std::size_t total = slabs_.size() * kSlabBlocks;
  cold_.reserve(total);
  warm_.reserve(total);
  for (std::size_t i = 0; i < kSlabBlocks; ++i)
    cold_.push_back(reinterpret_cast<Block*>(static_cast<std::byte*>(slab) +
                                             (kSlabBlocks - 1 - i) * kBlockBytes));
  return true;
}

Block* SlicePool::take() noexcept {
  Block* block = nullptr;
  if (!warm_.empty()) {
    block = warm_.back();
    warm_.pop_back();
    least_warm_ = std::min(least_warm_, warm_.size());
  } else {
    if (cold_.empty() && !grow()) return nullptr;
    if (!budget_.charge(kBlockBytes)) return nullptr;
    block = cold_.back();
    cold_.pop_back();
  }
  if (++used_ > most_used_) most_used_ = used_;
  new (block) Block{.next = nullptr, .pool = this, .begin = 0, .end = 0};
  return block;
}

void SlicePool::give(Block* block) noexcept {
  --used_;
  warm_.push_back(block);
}

void SlicePool::trim() noexcept {
  for (std::size_t idle = std::exchange(least_warm_, 0); idle != 0; --idle) {
    Block* block = warm_.back();
    warm_.pop_back();
    ::madvise(block, kBlockBytes, MADV_DONTNEED);
    budget_.release(kBlockBytes);
    cold_.push_back(block);
  }
  least_warm_ = warm_.size();
}

}  // namespace sluice
