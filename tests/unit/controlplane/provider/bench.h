// What the tests of this room stand on: a directory, a loop that is pumped until something holds,
// work that is done in place, answers without a network.
#pragma once

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "controlplane/provider/fetcher.h"
#include "controlplane/provider/work.h"
#include "proto/common/clock.h"
#include "proto/runtime/loop/loop.h"
#include "proto/runtime/loop/task_set.h"
#include "tests/support/scratch.h"

namespace sluice::provider::test {

using sluice::test::Scratch;

inline std::unique_ptr<Loop> make_loop() {
  return std::move(*Loop::make());
}

/// Turns until `holds`; ten seconds are a failure, not a wait.
inline bool pump(Loop& loop, const std::function<bool()>& holds) {
  const Moment end = monotonic_now() + 10_s;
  while (!holds() && monotonic_now() < end) loop.run_once(20_ms);
  return holds();
}
/// What is ready now, and what that makes ready.
inline void settle(Loop& loop) {
  for (int i = 0; i < 30; ++i) loop.run_once(0_ms);
}
/// Fires what is due within `span` from now, without waiting for it.
inline void step(Loop& loop, Millis span) {
  loop.timers().advance(loop.refresh_now() + span);
  settle(loop);
}

/// Does each job at once, or when told.
class TestWork final : public Work {
 public:
  explicit TestWork(Loop& loop) : loop_(loop) {}
  void run(std::function<void()> job, std::function<void()> then) override {
    waiting_.emplace_back(std::move(job), std::move(then));
    if (!held) do_one();
  }
  void do_one() {
    auto [job, then] = std::move(waiting_.front());
    waiting_.pop_front();
    job();
    job = nullptr;
    loop_.post(make_job(std::move(then)));
  }
  [[nodiscard]] std::size_t waiting() const { return waiting_.size(); }
  bool held = false;

 private:
  Loop& loop_;
  std::deque<std::pair<std::function<void()>, std::function<void()>>> waiting_;
};

/// Downloads that end when and how the test says.
class TestFetcher final : public Fetcher {
 public:
  explicit TestFetcher(Loop& loop) : loop_(loop) {}
  Task<FetchOutcome> fetch(FetchRequest request, FetchSink& sink) override {
    auto call = std::make_shared<Call>(loop_, std::move(request), sink);
    calls_.push_back(call);
    const Alive alive(call->running);
    (void)co_await call->done.wait(Moment::never());
    co_return std::move(*call->outcome);
  }
  [[nodiscard]] std::size_t count() const { return calls_.size(); }
  [[nodiscard]] const FetchRequest& request() const { return calls_.back()->request; }
  [[nodiscard]] bool running() const { return calls_.back()->running; }
  void progress(FetchProgress progress) { calls_.back()->sink.fetched(progress); }

  void answer(FetchOutcome outcome) {
    calls_.back()->outcome.emplace(std::move(outcome));
    calls_.back()->done.set();
    settle(loop_);
  }
  void answer_bytes(std::string body, Validators validators = {}) {
    FetchReply reply;
    reply.body = std::move(body);
    reply.validators = std::move(validators);
    answer(std::move(reply));
  }
  void answer_not_modified() {
    FetchReply reply;
    reply.not_modified = true;
    answer(std::move(reply));
  }
  void answer_failure(std::string reason, Millis retry_after = {}) {
    answer(std::unexpected(
        FetchFailure{{Errc::timeout, Side::upstream}, std::move(reason), retry_after}));
  }

 private:
  struct Call {
    Call(Loop& loop, FetchRequest wish, FetchSink& to)
        : request(std::move(wish)), sink(to), done(loop) {}
    FetchRequest request;
    FetchSink& sink;
    Event done;
    std::optional<FetchOutcome> outcome;
    bool running = true;
  };
  struct Alive {
    explicit Alive(bool& mark) : running(mark) {}
    Alive(const Alive&) = delete;
    Alive& operator=(const Alive&) = delete;
    ~Alive() { running = false; }
    bool& running;
  };
  Loop& loop_;
  std::vector<std::shared_ptr<Call>> calls_;
};

}  // namespace sluice::provider::test
