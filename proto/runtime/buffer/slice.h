// buffer/slice.h - one pooled block of bytes with one owner.
//
//   |<- headroom ->|<- data ->|<- tailroom ->|    kBlockRoom
//
// Thread: stays on the worker whose pool made it.
#pragma once

#include <cstddef>
#include <utility>

#include "proto/common/cursor.h"
#include "proto/common/result.h"
#include "proto/runtime/buffer/slice_pool.h"

namespace sluice {

/// Move-only. Destruction returns the block; a moved-from Slice owns nothing.
class Slice {
 public:
  Slice() noexcept = default;
  Slice(Slice&& other) noexcept : block_(std::exchange(other.block_, nullptr)) {}
  Slice& operator=(Slice&& other) noexcept {
    if (this != &other) {
      reset();
      block_ = std::exchange(other.block_, nullptr);
    }
    return *this;
  }
  Slice(const Slice&) = delete;
  Slice& operator=(const Slice&) = delete;
  ~Slice() { reset(); }

  /// An empty slice with `headroom` bytes (0..kBlockRoom) before its data.
  /// Errors: no_room when the budget is spent; the caller stops reading.
  static Result<Slice> make(SlicePool& pool, std::size_t headroom = kHeadroom) noexcept {
    Block* block = pool.take();
    if (block == nullptr) return fail(Errc::no_room);
    block->begin = block->end = static_cast<std::uint32_t>(kBlockHead + headroom);
    return Slice(block);
  }

  [[nodiscard]] explicit operator bool() const noexcept { return block_ != nullptr; }
  [[nodiscard]] ByteSpan data() noexcept { return {base() + block_->begin, size()}; }
  [[nodiscard]] ByteView data() const noexcept { return {base() + block_->begin, size()}; }
  [[nodiscard]] std::size_t size() const noexcept { return block_->end - block_->begin; }
  [[nodiscard]] bool empty() const noexcept { return block_->end == block_->begin; }
  [[nodiscard]] std::size_t headroom() const noexcept { return block_->begin - kBlockHead; }
  [[nodiscard]] std::size_t tailroom() const noexcept { return kBlockBytes - block_->end; }
  /// Free bytes behind the data, for a read; commit what was filled with grow().
  [[nodiscard]] ByteSpan room() noexcept { return {base() + block_->end, tailroom()}; }
  /// Appends `count` bytes that were written into room(). Needs count <= tailroom().
  void grow(std::size_t count) noexcept { block_->end += static_cast<std::uint32_t>(count); }
  /// Prepends `count` uninitialised bytes. Needs count <= headroom().
  ByteSpan push(std::size_t count) noexcept {
    block_->begin -= static_cast<std::uint32_t>(count);
    return data().first(count);
  }
  /// Drops bytes at the front / back. Needs count <= size().
  void drop_front(std::size_t count) noexcept {
    block_->begin += static_cast<std::uint32_t>(count);
  }
  void drop_back(std::size_t count) noexcept { block_->end -= static_cast<std::uint32_t>(count); }
  /// Copies as much of `bytes` as fits behind the data; returns how many.
  std::size_t append(ByteView bytes) noexcept;
  [[nodiscard]] SlicePool& pool() const noexcept { return *block_->pool; }

 private:
  friend class SliceQueue;
  explicit Slice(Block* block) noexcept : block_(block) {}
  [[nodiscard]] std::byte* base() const noexcept { return reinterpret_cast<std::byte*>(block_); }
  [[nodiscard]] Block* release() noexcept { return std::exchange(block_, nullptr); }
  void reset() noexcept {
    if (block_ != nullptr) block_->pool->give(block_);
    block_ = nullptr;
  }

  Block* block_ = nullptr;
};

}  // namespace sluice
