// worker/pinned.h - the snapshot of a worker: one current pointer, pins of those who wait on an
// older one.
//
// A generation is published to a worker by message. Flows pin what they decided on; a generation
// that is neither current nor pinned is released by message to the builder, which frees it. Pins
// are plain counters: nothing here is shared between threads. What a snapshot is, is not known
// here: an address that the owner recognises.
#pragma once

#include <cstdint>
#include <utility>

#include "proto/runtime/loop/frame_pool.h"

namespace sluice {

/// Told when a worker holds no more reference to a generation. Called on the worker's thread.
class SnapshotOwner {
 public:
  virtual void on_released(const void* snapshot, unsigned worker) noexcept = 0;

 protected:
  ~SnapshotOwner() = default;
};

class SnapshotSlot {
 public:
  SnapshotSlot(SnapshotOwner& owner, unsigned worker) noexcept : owner_(owner), worker_(worker) {}
  SnapshotSlot(const SnapshotSlot&) = delete;
  SnapshotSlot& operator=(const SnapshotSlot&) = delete;
  ~SnapshotSlot() { publish(nullptr); }

  /// Makes `snapshot` current; the former one is released once nobody pins it.
  void publish(const void* snapshot) noexcept {
    Entry* former = current_;
    current_ = snapshot != nullptr ? new Entry{snapshot, 1} : nullptr;
    if (former != nullptr) drop(former);
  }
  [[nodiscard]] const void* current() const noexcept {
    return current_ != nullptr ? current_->snapshot : nullptr;
  }

 private:
  template <class S>
  friend class Pinned;
  struct Entry : frame_pool::Pooled {
    Entry(const void* s, std::uint64_t n) noexcept : snapshot(s), count(n) {}
    const void* snapshot;
    std::uint64_t count;
  };
  void drop(Entry* entry) noexcept {
    if (--entry->count != 0) return;
    owner_.on_released(entry->snapshot, worker_);
    delete entry;
  }

  SnapshotOwner& owner_;
  unsigned worker_;
  Entry* current_ = nullptr;
};

/// A reference that keeps one generation alive on its worker. Move-only; may be empty.
template <class S>
class Pinned {
 public:
  Pinned() noexcept = default;
  /// Pins the current generation; empty when there is none.
  explicit Pinned(SnapshotSlot& slot) noexcept : slot_(&slot), entry_(slot.current_) {
    if (entry_ != nullptr) ++entry_->count;
  }
  Pinned(Pinned&& other) noexcept
      : slot_(other.slot_), entry_(std::exchange(other.entry_, nullptr)) {}
  Pinned& operator=(Pinned&& other) noexcept {
    if (this != &other) {
      reset();
      slot_ = other.slot_;
      entry_ = std::exchange(other.entry_, nullptr);
    }
    return *this;
  }
  Pinned(const Pinned&) = delete;
  Pinned& operator=(const Pinned&) = delete;
  ~Pinned() { reset(); }

  void reset() noexcept {
    if (entry_ != nullptr) slot_->drop(std::exchange(entry_, nullptr));
  }
  [[nodiscard]] explicit operator bool() const noexcept { return entry_ != nullptr; }
  const S* operator->() const noexcept { return get(); }
  const S& operator*() const noexcept { return *get(); }
  [[nodiscard]] const S* get() const noexcept { return static_cast<const S*>(entry_->snapshot); }

 private:
  SnapshotSlot* slot_ = nullptr;
  SnapshotSlot::Entry* entry_ = nullptr;
};

}  // namespace sluice
