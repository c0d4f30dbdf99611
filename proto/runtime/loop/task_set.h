// loop/task_set.h - coroutines that belong to one object and end with it.
//
// Loop::spawn gives a coroutine to the loop; a TaskSet keeps it, so that destroying the set
// destroys every frame that still waits, and with it what the frame owns. Frames that have ended
// are freed later in the same turn.
//
// Owner: the object whose members the coroutines use. Thread: the loop's.
#pragma once

#include <cstddef>
#include <list>
#include <utility>

#include "proto/runtime/loop/loop.h"
#include "proto/runtime/loop/ready.h"
#include "proto/runtime/loop/task.h"

namespace sluice {

class TaskSet final : private Ready {
 public:
  explicit TaskSet(Loop& loop) noexcept : loop_(loop) {}
  ~TaskSet() override = default;

  /// Starts `task`; it runs up to its first wait inside this call.
  void run(Task<void> task) {
    const Position position = running_.emplace(running_.end());
    *position = drive(*this, position, std::move(task));
    position->start();
  }
  /// Coroutines that have not ended.
  [[nodiscard]] std::size_t count() const noexcept { return running_.size(); }

 private:
  using Position = std::list<Task<void>>::iterator;

  static Task<void> drive(TaskSet& set, Position self, Task<void> task) {
    co_await task;
    // This frame is at its end but still running: it is freed from the ready list.
    set.ended_.splice(set.ended_.end(), set.running_, self);
    set.loop_.queue(set);
  }
  void run() noexcept override { ended_.clear(); }

  Loop& loop_;
  std::list<Task<void>> ended_;
  std::list<Task<void>> running_;
};

}  // namespace sluice
