// Workers with their threads: generations reach all of them, and go when the last one let go.
#include "dataplane/worker/worker.h"

#include <gtest/gtest.h>

#include <array>
#include <future>
#include <map>
#include <mutex>
#include <vector>

namespace sluice {
namespace {

constexpr unsigned kWorkers = 3;

/// Freed on whichever thread lets go last; `value` is written before it is published, never after.
struct Generation {
  explicit Generation(int v) : value(v) {}
  int value;
};

/// Frees a generation that every worker has let go of, as its builder does.
class Builder final : public SnapshotOwner {
 public:
  const Generation* build(int value) {
    const std::lock_guard lock(mutex_);
    auto generation = std::make_unique<Generation>(value);
    const Generation* out = generation.get();
    alive_.emplace(out, Alive{std::move(generation), {}});
    return out;
  }
  void on_released(const void* snapshot, unsigned worker) noexcept override {
    const std::lock_guard lock(mutex_);
    const auto found = alive_.find(snapshot);
    ASSERT_NE(found, alive_.end()) << "released after it was freed";
    EXPECT_FALSE(std::exchange(found->second.released.at(worker), true)) << "released twice";
    for (const bool released : found->second.released)
      if (!released) return;
    alive_.erase(found);
  }
  std::size_t alive() {
    const std::lock_guard lock(mutex_);
    return alive_.size();
  }

 private:
  struct Alive {
    std::unique_ptr<Generation> generation;
    std::array<bool, kWorkers> released;
  };
  std::mutex mutex_;
  std::map<const void*, Alive> alive_;
};

class Workers : public ::testing::Test {
 protected:
  void SetUp() override {
    for (unsigned i = 0; i < kWorkers; ++i) {
      workers[i] = std::move(*Worker::make({.index = i}, budget, builder));
      Worker& worker = *workers[i];
      worker.start(make_job([this, &worker, i] {
        pins[i].clear();
        worker.snapshots().publish(nullptr);
      }));
    }
  }
  void stop() {
    for (auto& worker : workers) worker->stop_and_join();
  }
  /// Does `what(worker)` on each of them and waits until all have.
  template <class F>
  void everywhere(F what) {
    std::vector<std::future<void>> done;
    for (auto& worker : workers) {
      auto promise = std::make_shared<std::promise<void>>();
      done.push_back(promise->get_future());
      worker->post(make_job([&worker, what, promise] {
        what(*worker);
        promise->set_value();
      }));
    }
    for (auto& one : done) one.wait();
  }
  void publish(const Generation* generation) {
    everywhere([generation](Worker& w) { w.snapshots().publish(generation); });
  }

  Builder builder;
  MemoryBudget budget{8U << 20U};
  std::array<std::vector<Pinned<Generation>>, kWorkers> pins;  ///< each its worker's own
  std::array<std::unique_ptr<Worker>, kWorkers> workers;
};

TEST_F(Workers, OldGenerationGoesWhenTheLastWorkerLetsGo) {
  publish(builder.build(1));
  workers[1]->post(make_job([this] { pins[1].emplace_back(workers[1]->snapshots()); }));
  publish(builder.build(2));
  EXPECT_EQ(builder.alive(), 2U) << "one worker still waits on the first";
  everywhere([this](Worker& w) {
    if (w.index() != 1) return;
    EXPECT_EQ(pins[1].front()->value, 1);
    pins[1].clear();
  });
  EXPECT_EQ(builder.alive(), 1U);
  stop();
  EXPECT_EQ(builder.alive(), 0U);
}

// No waiting in between: publishing races with pins of flows that come and go.
TEST_F(Workers, GenerationsThatFollowEachOtherQuicklyAllGo) {
  for (int value = 1; value <= 300; ++value) {
    const Generation* next = builder.build(value);
    for (unsigned i = 0; i < kWorkers; ++i) {
      Worker& worker = *workers[i];
      worker.post(make_job([&worker, next] { worker.snapshots().publish(next); }));
      worker.post(make_job([this, &worker, value, i] {
        auto& mine = pins[i];
        mine.emplace_back(worker.snapshots());
        EXPECT_EQ(mine.back()->value, value);
        if (mine.size() > 5 + i) mine.erase(mine.begin());
      }));
    }
  }
  everywhere([](Worker&) {});
  EXPECT_LE(builder.alive(), 5 + kWorkers) << "only what is current or pinned";
  stop();
  EXPECT_EQ(builder.alive(), 0U);
}

TEST(Worker, JobOfTheEndRunsOnItsThreadWhenTheLoopHasStopped) {
  Builder builder;
  MemoryBudget budget{8U << 20U};
  const auto worker = std::move(*Worker::make({}, budget, builder));
  std::thread::id posted_on;
  std::thread::id ended_on;
  worker->start(make_job([&] { ended_on = std::this_thread::get_id(); }));
  std::promise<void> posted;
  worker->post(make_job([&] {
    posted_on = std::this_thread::get_id();
    posted.set_value();
  }));
  posted.get_future().wait();
  worker->stop_and_join();
  worker->stop_and_join();
  EXPECT_NE(posted_on, std::this_thread::get_id());
  EXPECT_EQ(ended_on, posted_on);
}

}  // namespace
}  // namespace sluice
