// loop/wait_list.h - many coroutines wait for one outcome; each with its own deadline.
//
//   const Status done = co_await wait_in(list, until);      elsewhere: list.wake_all(outcome);
//
// Thread: the loop's. A coroutine that is destroyed while it waits leaves the list; a list that is
// destroyed ends its waits with Errc::cancelled.
#pragma once

#include "proto/common/result.h"
#include "proto/runtime/loop/loop.h"
#include "proto/runtime/loop/task.h"
#include "proto/runtime/loop/wait.h"

namespace sluice {

class WaitList {
 public:
  explicit WaitList(Loop& loop) noexcept : loop_(loop) {}
  WaitList(const WaitList&) = delete;
  WaitList& operator=(const WaitList&) = delete;
  ~WaitList() { wake_all(fail(Errc::cancelled)); }

  /// Everybody who waits now goes on with `outcome`; later waits are not affected.
  void wake_all(Status outcome) noexcept {
    while (first_ != nullptr) {
      Entry* entry = first_;
      entry->leave();
      entry->outcome_ = outcome;
      entry->event_.set();
    }
  }
  [[nodiscard]] bool empty() const noexcept { return first_ == nullptr; }

 private:
  class Entry {
   public:
    explicit Entry(WaitList& list) noexcept : event_(list.loop_), list_(&list) {
      next_ = list.first_;
      if (next_ != nullptr) next_->previous_ = this;
      list.first_ = this;
    }
    Entry(const Entry&) = delete;
    Entry& operator=(const Entry&) = delete;
    ~Entry() { leave(); }

    void leave() noexcept {
      if (list_ == nullptr) return;
      (previous_ != nullptr ? previous_->next_ : list_->first_) = next_;
      if (next_ != nullptr) next_->previous_ = previous_;
      list_ = nullptr;
    }

    Event event_;
    Status outcome_;

   private:
    WaitList* list_;
    Entry* next_ = nullptr;
    Entry* previous_ = nullptr;
  };

  friend Task<Status> wait_in(WaitList& list, Until until);

  Loop& loop_;
  Entry* first_ = nullptr;
};

/// Errors: what wake_all() was given; timeout, cancelled.
inline Task<Status> wait_in(WaitList& list, Until until) {
  WaitList::Entry entry(list);
  const Status woken = co_await entry.event_.wait(until);
  if (!woken) co_return woken;
  co_return entry.outcome_;
}

}  // namespace sluice
