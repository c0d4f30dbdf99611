// provider/turns.h - at most so many at a time, the others in the order they came.
//
//   const Turns::Turn turn = co_await turns.take();      // given back when `turn` dies
//
// Owner: outlives every turn. Thread: the loop's.
#pragma once

#include <list>
#include <utility>

#include "proto/runtime/loop/task.h"
#include "proto/runtime/loop/wait.h"

namespace sluice::provider {

class Turns {
 public:
  Turns(Loop& loop, unsigned count) noexcept : loop_(loop), free_(count) {}
  Turns(const Turns&) = delete;
  Turns& operator=(const Turns&) = delete;

  class Turn {
   public:
    explicit Turn(Turns& turns) noexcept : turns_(&turns) {}
    Turn(Turn&& other) noexcept : turns_(std::exchange(other.turns_, nullptr)) {}
    Turn& operator=(Turn&&) = delete;
    ~Turn() {
      if (turns_ != nullptr) turns_->give_back();
    }

   private:
    Turns* turns_;
  };

  /// Bounded by the length of others' turns, so without a deadline.
  Task<Turn> take() {
    if (free_ > 0 && waiting_.empty()) {
      --free_;
      co_return Turn(*this);
    }
    Place place(*this);
    const Status woken = co_await place.event.wait(Moment::never());
    (void)woken;
    place.leave(true);
    co_return Turn(*this);
  }

 private:
  /// One who waits. Destroyed while waiting, it leaves; after it was called, it passes the turn on.
  struct Place {
    explicit Place(Turns& owner)
        : event(owner.loop_), turns(owner), at(owner.waiting_.insert(owner.waiting_.end(), this)) {}
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;
    ~Place() { leave(false); }
    void leave(bool served) noexcept {
      if (left) return;
      left = true;
      if (!called)
        turns.waiting_.erase(at);
      else if (!served)
        turns.give_back();
    }
    Event event;
    Turns& turns;
    std::list<Place*>::iterator at;
    bool called = false;
    bool left = false;
  };

  void give_back() noexcept {
    if (waiting_.empty()) {
      ++free_;
      return;
    }
    Place* next = waiting_.front();
    waiting_.pop_front();
    next->called = true;
    next->event.set();
  }

  Loop& loop_;
  unsigned free_;
  std::list<Place*> waiting_;
};

}  // namespace sluice::provider
