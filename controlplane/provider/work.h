// provider/work.h - a step that blocks (disk, reading 300,000 rules), done elsewhere and awaited.
//
//   loop ── run(job, then) ──> job() where it may block ── then() on the loop
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "proto/runtime/loop/task.h"
#include "proto/runtime/loop/wait.h"

namespace sluice::provider {

class Work {
 public:
  Work() = default;
  Work(const Work&) = delete;
  Work& operator=(const Work&) = delete;
  virtual ~Work() = default;

  /// One job at a time, in order. `then` runs on the loop, not inside this call; neither runs once
  /// the program ends.
  virtual void run(std::function<void()> job, std::function<void()> then) = 0;
};

/// What `job` returned. It owns what it needs: a task that is destroyed meanwhile does not stop it.
template <class T>
Task<T> do_work(Loop& loop, Work& work, std::function<T()> job) {
  struct Shared {
    explicit Shared(Loop& home) : done(home) {}
    Event done;
    std::optional<T> value;
  };
  auto shared = std::make_shared<Shared>(loop);
  std::function<void()> run = [shared, job = std::move(job)] { shared->value.emplace(job()); };
  std::function<void()> then = [shared] { shared->done.set(); };
  work.run(std::move(run), std::move(then));
  const Status done = co_await shared->done.wait(Moment::never());
  (void)done;  // nobody cancels it, and never does not come
  co_return std::move(*shared->value);
}

}  // namespace sluice::provider
