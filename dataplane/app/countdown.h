// app/countdown.h - calls back when the last of some threads has answered.
//
// Whoever answers last may be a worker. So the callback, and what it holds (a snapshot of 100,000
// rules, which takes milliseconds to free), is gone from here once it was called: passed on, it
// dies where it was passed to.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <utility>

namespace sluice::app {

class Countdown {
 public:
  /// `count` answers are to come, at least one.
  Countdown(std::size_t count, std::function<void()> done) : left_(count), done_(std::move(done)) {}

  /// Any thread. The last of them calls back.
  void tick() {
    if (left_.fetch_sub(1, std::memory_order_acq_rel) == 1) std::exchange(done_, nullptr)();
  }

 private:
  std::atomic<std::size_t> left_;
  std::function<void()> done_;
};

}  // namespace sluice::app
