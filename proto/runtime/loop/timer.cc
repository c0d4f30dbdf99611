#include "proto/runtime/loop/timer.h"

#include <utility>

namespace sluice {

void Timer::disarm() noexcept {
  if (heap_ != nullptr) heap_->disarm(*this);
}

TimerHeap::~TimerHeap() {
  for (Timer* timer : heap_) timer->heap_ = nullptr;
}

void TimerHeap::arm(Timer& timer, Moment deadline) noexcept {
  if (deadline == Moment::never()) {
    disarm(timer);
    return;
  }
  timer.deadline_ = deadline;
  if (timer.heap_ == nullptr) {
    timer.heap_ = this;
    heap_.push_back(&timer);
    timer.position_ = heap_.size() - 1;
  }
  sift_up(timer.position_);
  sift_down(timer.position_);
}

void TimerHeap::disarm(Timer& timer) noexcept {
  if (timer.heap_ != this) return;
  const std::size_t hole = timer.position_;
  timer.heap_ = nullptr;
  Timer* last = heap_.back();
  heap_.pop_back();
  if (last == &timer) return;
  place(last, hole);
  sift_up(hole);
  sift_down(last->position_);
}

void TimerHeap::advance(Moment now) noexcept {
  // A timer re-armed inside fire() for a moment that is already due must not spin this loop.
  std::size_t budget = heap_.size();
  while (budget-- != 0 && !heap_.empty() && heap_.front()->deadline_ <= now) {
    Timer* timer = heap_.front();
    disarm(*timer);
    timer->fire();
  }
}

void TimerHeap::sift_up(std::size_t position) noexcept {
  Timer* timer = heap_[position];
  while (position != 0) {
    const std::size_t parent = (position - 1) / 2;
    if (heap_[parent]->deadline_ <= timer->deadline_) break;
    place(heap_[parent], position);
    position = parent;
  }
  place(timer, position);
}

void TimerHeap::sift_down(std::size_t position) noexcept {
  Timer* timer = heap_[position];
  for (;;) {
    std::size_t child = 2 * position + 1;
    if (child >= heap_.size()) break;
    if (child + 1 < heap_.size() && heap_[child + 1]->deadline_ < heap_[child]->deadline_) ++child;
    if (timer->deadline_ <= heap_[child]->deadline_) break;
    place(heap_[child], position);
    position = child;
  }
  place(timer, position);
}

}  // namespace sluice
