#include "proto/runtime/loop/timer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>

namespace sluice {
namespace {

class Probe final : public Timer {
 public:
  explicit Probe(std::vector<std::int64_t>& fired) : fired_(fired) {}

 private:
  void fire() noexcept override { fired_.push_back(deadline().ms); }
  std::vector<std::int64_t>& fired_;
};

TEST(TimerHeap, FiresInOrderWhateverTheOrderOfArmingMovingAndDropping) {
  std::mt19937 random(7);
  TimerHeap heap;
  std::vector<std::int64_t> fired;
  std::vector<std::unique_ptr<Probe>> timers;
  for (int i = 0; i < 500; ++i) {
    timers.push_back(std::make_unique<Probe>(fired));
    heap.arm(*timers.back(), Moment{static_cast<std::int64_t>(random() % 1000)});
  }
  std::vector<std::int64_t> expected;
  for (std::size_t i = 0; i < timers.size(); ++i) {
    if (i % 3 == 0) heap.arm(*timers[i], Moment{static_cast<std::int64_t>(random() % 1000)});
    if (i % 5 == 0) timers[i]->disarm();
    if (i % 7 == 0) timers[i].reset();
    if (timers[i] != nullptr && timers[i]->armed()) expected.push_back(timers[i]->deadline().ms);
  }
  std::ranges::sort(expected);
  for (std::int64_t now = 0; now <= 1000; now += 50) {
    heap.advance(Moment{now});
    EXPECT_TRUE(fired.empty() || fired.back() <= now);
  }
  EXPECT_EQ(fired, expected);
  EXPECT_EQ(heap.next(), Moment::never());
}

class Rearming final : public Timer {
 public:
  explicit Rearming(TimerHeap& heap) : heap_(heap) {}
  int runs = 0;

 private:
  void fire() noexcept override {
    ++runs;
    heap_.arm(*this, deadline());
  }
  TimerHeap& heap_;
};

TEST(TimerHeap, TimerThatIsAlwaysDueRunsOncePerAdvance) {
  TimerHeap heap;
  Rearming timer(heap);
  heap.arm(timer, Moment{1});
  heap.advance(Moment{5});
  EXPECT_EQ(timer.runs, 1);
}

}  // namespace
}  // namespace sluice
