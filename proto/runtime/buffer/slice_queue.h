// buffer/slice_queue.h - bytes in order, as a chain of slices; never allocates.
//
// Owner: one end of a flow or a codec. Thread: the worker of its slices.
#pragma once

#include <cstddef>
#include <utility>

#include "proto/runtime/buffer/slice.h"

struct iovec;

namespace sluice {

/// Move-only FIFO. Empty slices are never kept.
class SliceQueue {
 public:
  SliceQueue() noexcept = default;
  SliceQueue(SliceQueue&& other) noexcept
      : head_(std::exchange(other.head_, nullptr)),
        tail_(std::exchange(other.tail_, nullptr)),
        size_(std::exchange(other.size_, 0)) {}
  SliceQueue& operator=(SliceQueue&& other) noexcept;
  SliceQueue(const SliceQueue&) = delete;
  SliceQueue& operator=(const SliceQueue&) = delete;
  ~SliceQueue() { clear(); }

  [[nodiscard]] bool empty() const noexcept { return head_ == nullptr; }
  /// Bytes in all slices.
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

  void push_back(Slice slice) noexcept;
  void push_front(Slice slice) noexcept;
  /// Moves everything of `other` behind what is here.
  void append(SliceQueue&& other) noexcept;
  /// The first slice; needs !empty().
  Slice pop_front() noexcept;
  /// The bytes of the first slice; needs !empty().
  [[nodiscard]] ByteSpan front() noexcept;
  /// Drops `count` bytes at the front; needs count <= size().
  void consume(std::size_t count) noexcept;
  /// Copies bytes in, filling the last slice's tailroom first. Errors: no_room (nothing copied is
  /// taken back).
  Status copy_in(SlicePool& pool, ByteView bytes, std::size_t headroom = kHeadroom) noexcept;
  /// Copies up to out.size() bytes from the front without consuming; returns how many.
  std::size_t peek(ByteSpan out) const noexcept;
  /// Makes the first `count` bytes contiguous (a copy only when they are not) and returns them.
  /// Errors: truncated when fewer are here, too_large beyond a block, no_room.
  Result<ByteSpan> pull_up(std::size_t count) noexcept;
  /// Fills `out` with views for writev; returns how many were used.
  [[nodiscard]] std::size_t gather(iovec* out, std::size_t max_count) const noexcept;
  void clear() noexcept;

 private:
  Block* head_ = nullptr;
  Block* tail_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace sluice
