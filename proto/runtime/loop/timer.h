// loop/timer.h - deadlines of one loop: an intrusive binary heap, driven by one kernel timer.
//
// Arming, moving and dropping a timer is O(log n) and makes no system call. Thread: its loop's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "proto/common/clock.h"

namespace sluice {

class TimerHeap;

/// Derive, override fire(). Destruction disarms.
class Timer {
 public:
  Timer() noexcept = default;
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;
  virtual ~Timer() { disarm(); }

  [[nodiscard]] bool armed() const noexcept { return heap_ != nullptr; }
  [[nodiscard]] Moment deadline() const noexcept { return deadline_; }
  void disarm() noexcept;

 protected:
  /// Called once, already disarmed; may arm again or destroy the timer.
  virtual void fire() noexcept = 0;

 private:
  friend class TimerHeap;
  Moment deadline_{};
  TimerHeap* heap_ = nullptr;
  std::size_t position_ = 0;
};

class TimerHeap {
 public:
  TimerHeap() = default;
  TimerHeap(const TimerHeap&) = delete;
  TimerHeap& operator=(const TimerHeap&) = delete;
  ~TimerHeap();

  /// Arms or moves. Moment::never() disarms.
  void arm(Timer& timer, Moment deadline) noexcept;
  void disarm(Timer& timer) noexcept;
  /// Fires everything due at `now`, earliest first. Timers armed meanwhile wait for the next call.
  void advance(Moment now) noexcept;
  [[nodiscard]] Moment next() const noexcept {
    return heap_.empty() ? Moment::never() : heap_.front()->deadline_;
  }
  [[nodiscard]] std::size_t count() const noexcept { return heap_.size(); }

 private:
  void place(Timer* timer, std::size_t position) noexcept {
    heap_[position] = timer;
    timer->position_ = position;
  }
  void sift_up(std::size_t position) noexcept;
  void sift_down(std::size_t position) noexcept;

  std::vector<Timer*> heap_;
};

}  // namespace sluice
