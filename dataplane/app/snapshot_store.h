// app/snapshot_store.h - all generations that somebody may still read.
//
// A generation is freed on the home thread when it is not the current one and every worker that
// adopted it has let go. Owner: DataPlane. Thread: home; on_released comes on workers and posts;
// current() may be called from any thread.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

#include "dataplane/route/snapshot.h"
#include "dataplane/worker/pinned.h"
#include "proto/runtime/loop/loop.h"

namespace sluice::app {

using SnapshotPtr = std::shared_ptr<const route::Snapshot>;

class SnapshotStore final : public SnapshotOwner {
 public:
  explicit SnapshotStore(Loop& home) noexcept : home_(home) {}

  /// Makes it current and counts `holders` workers that will adopt it. nullptr: none is current
  /// again, as before the first.
  void add(SnapshotPtr snapshot, unsigned holders);
  /// The current one; nullptr before the first. Any thread.
  [[nodiscard]] SnapshotPtr current() const;
  [[nodiscard]] std::size_t count() const noexcept { return held_.size(); }

  void on_released(const void* snapshot, unsigned worker) noexcept override;

 private:
  struct Entry {
    SnapshotPtr snapshot;
    unsigned holders = 0;
  };
  void release(const void* snapshot);

  Loop& home_;
  std::map<const void*, Entry> held_;
  mutable std::mutex mutex_;  ///< guards current_ only; never taken on the packet path
  SnapshotPtr current_;
};

}  // namespace sluice::app
