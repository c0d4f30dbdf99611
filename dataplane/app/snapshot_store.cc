#include "dataplane/app/snapshot_store.h"

#include <utility>

namespace sluice::app {

void SnapshotStore::add(SnapshotPtr snapshot, unsigned holders) {
  if (snapshot) {
    Entry& entry = held_[snapshot.get()];
    entry.snapshot = snapshot;
    entry.holders += holders;
  }
  const std::lock_guard lock(mutex_);
  current_ = std::move(snapshot);
}

SnapshotPtr SnapshotStore::current() const {
  const std::lock_guard lock(mutex_);
  return current_;
}

void SnapshotStore::on_released(const void* snapshot, unsigned) noexcept {
  home_.post(make_job([this, snapshot] { release(snapshot); }));
}

void SnapshotStore::release(const void* snapshot) {
  const auto found = held_.find(snapshot);
  if (found == held_.end()) return;
  if (--found->second.holders == 0) held_.erase(found);
}

}  // namespace sluice::app
