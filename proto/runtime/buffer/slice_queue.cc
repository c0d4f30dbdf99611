#include "proto/runtime/buffer/slice_queue.h"

#include <sys/uio.h>

#include <algorithm>
#include <cstring>

namespace sluice {
namespace {

std::byte* base(Block* block) noexcept {
  return reinterpret_cast<std::byte*>(block);
}
const std::byte* base(const Block* block) noexcept {
  return reinterpret_cast<const std::byte*>(block);
}
std::size_t bytes_in(const Block* block) noexcept {
  return block->end - block->begin;
}

}  // namespace

std::size_t Slice::append(ByteView bytes) noexcept {
  const std::size_t count = std::min(bytes.size(), tailroom());
  if (count != 0) std::memcpy(base() + block_->end, bytes.data(), count);
  grow(count);
  return count;
}

SliceQueue& SliceQueue::operator=(SliceQueue&& other) noexcept {
  if (this != &other) {
    clear();
    head_ = std::exchange(other.head_, nullptr);
    tail_ = std::exchange(other.tail_, nullptr);
    size_ = std::exchange(other.size_, 0);
  }
  return *this;
}

void SliceQueue::push_back(Slice slice) noexcept {
  if (!slice || slice.empty()) return;
  size_ += slice.size();
  Block* block = slice.release();
  block->next = nullptr;
  (tail_ != nullptr ? tail_->next : head_) = block;
  tail_ = block;
}

void SliceQueue::push_front(Slice slice) noexcept {
  if (!slice || slice.empty()) return;
  size_ += slice.size();
  Block* block = slice.release();
  block->next = head_;
  if (head_ == nullptr) tail_ = block;
  head_ = block;
}

void SliceQueue::append(SliceQueue&& other) noexcept {
  if (other.empty()) return;
  (tail_ != nullptr ? tail_->next : head_) = other.head_;
  tail_ = other.tail_;
  size_ += other.size_;
  other.head_ = other.tail_ = nullptr;
  other.size_ = 0;
}

Slice SliceQueue::pop_front() noexcept {
  Block* block = head_;
  head_ = block->next;
  if (head_ == nullptr) tail_ = nullptr;
  block->next = nullptr;
  size_ -= bytes_in(block);
  return Slice(block);
}

ByteSpan SliceQueue::front() noexcept {
  return {base(head_) + head_->begin, bytes_in(head_)};
}

void SliceQueue::consume(std::size_t count) noexcept {
  while (count != 0) {
    const std::size_t here = bytes_in(head_);
    if (count < here) {
      head_->begin += static_cast<std::uint32_t>(count);
      size_ -= count;
      return;
    }
    count -= here;
    pop_front();
  }
}

Status SliceQueue::copy_in(SlicePool& pool, ByteView bytes, std::size_t headroom) noexcept {
  while (!bytes.empty()) {
    // The last kTailroom bytes of a block stay free for a layer's trailer.
    const std::size_t room = tail_ != nullptr && kBlockBytes - tail_->end > kTailroom
                                 ? kBlockBytes - tail_->end - kTailroom
                                 : 0;
    if (room != 0) {
      const std::size_t count = std::min(room, bytes.size());
      std::memcpy(base(tail_) + tail_->end, bytes.data(), count);
      tail_->end += static_cast<std::uint32_t>(count);
      size_ += count;
      bytes = bytes.subspan(count);
      continue;
    }
    auto slice = Slice::make(pool, headroom);
    if (!slice) return fail(slice.error());
    const std::size_t first = std::min(bytes.size(), slice->tailroom() - kTailroom);
    slice->append(bytes.first(first));
    bytes = bytes.subspan(first);
    push_back(std::move(*slice));
  }
  return {};
}

std::size_t SliceQueue::peek(ByteSpan out) const noexcept {
  std::size_t done = 0;
  for (const Block* block = head_; block != nullptr && done < out.size(); block = block->next) {
    const std::size_t count = std::min(bytes_in(block), out.size() - done);
    std::memcpy(out.data() + done, base(block) + block->begin, count);
    done += count;
  }
  return done;
}

Result<ByteSpan> SliceQueue::pull_up(std::size_t count) noexcept {
  if (count > size_) return fail(Errc::truncated);
  if (count == 0) return ByteSpan{};
  if (bytes_in(head_) >= count) return front().first(count);
  if (count > kBlockRoom) return fail(Errc::too_large);
  // Enough room behind the first block's data: extend it in place. Else start a block of its own.
  if (kBlockBytes - head_->begin < count) {
    const std::size_t spare = kBlockRoom - count;
    auto joined = Slice::make(*head_->pool, std::min(kHeadroom, spare));
    if (!joined) return fail(joined.error());
    joined->append(front());
    consume(bytes_in(head_));
    push_front(std::move(*joined));
  }
  while (bytes_in(head_) < count) {
    Block* second = head_->next;
    const std::size_t take = std::min(bytes_in(second), count - bytes_in(head_));
    std::memcpy(base(head_) + head_->end, base(second) + second->begin, take);
    head_->end += static_cast<std::uint32_t>(take);
    second->begin += static_cast<std::uint32_t>(take);
    if (bytes_in(second) == 0) {
      head_->next = second->next;
      if (tail_ == second) tail_ = head_;
      second->pool->give(second);
    }
  }
  return front().first(count);
}

std::size_t SliceQueue::gather(iovec* out, std::size_t max_count) const noexcept {
  std::size_t used = 0;
  for (Block* block = head_; block != nullptr && used < max_count; block = block->next)
    out[used++] = {base(block) + block->begin, bytes_in(block)};
  return used;
}

void SliceQueue::clear() noexcept {
  while (head_ != nullptr) pop_front();
}

}  // namespace sluice
