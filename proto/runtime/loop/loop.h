// loop/loop.h - one thread's event loop: descriptors, deadlines, ready coroutines, other threads'
// jobs.
//
//   epoll set ─┬─ one entry per Watch, edge-triggered, never modified
//              └─ uv_backend_fd ── uv_loop ── uv_async (inbox), other libuv handles
//
// A turn: one epoll_wait until the earliest deadline, which runs watches with events and jobs; due
// timers; then the ready list until it is empty or its budget for this turn is used. libuv is
// inside our set and not around it, since two nested waits per turn were a tenth of a short flow's
// CPU. A libuv timer would not end the wait: deadlines belong to the heap. Nothing here allocates
// once warm.
//
// Thread: everything but post() and request_stop() belongs to the thread that calls run().
#pragma once

#include <cstdint>
#include <memory>

#include "proto/common/clock.h"
#include "proto/common/result.h"
#include "proto/runtime/loop/job.h"
#include "proto/runtime/loop/ready.h"
#include "proto/runtime/loop/timer.h"

namespace sluice {

class Watch;
template <class T>
class Task;

class Loop {
 public:
  /// Errors: system, no_descriptors.
  static Result<std::unique_ptr<Loop>> make();
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;
  /// Every watch must be gone. Root tasks that still wait are destroyed.
  ~Loop();

  /// Runs turns until stop() or request_stop().
  void run();
  /// Runs one turn: waits for at most `longest` for something to do. For tests and for draining.
  void run_once(Millis longest);
  void stop() noexcept { stopped_ = true; }
  /// Any thread.
  void request_stop();
  /// Any thread: runs the job on the loop's thread. Jobs of one sender keep their order. A job that
  /// arrives after the loop ended is destroyed unrun.
  void post(std::unique_ptr<Job> job) noexcept;

  /// The turn's moment: read once per turn, monotonic.
  [[nodiscard]] Moment now() const noexcept { return now_; }
  /// Reads the clock again; for measuring inside a long turn.
  Moment refresh_now() noexcept;

  TimerHeap& timers() noexcept { return timers_; }
  void arm(Timer& timer, Moment deadline) noexcept { timers_.arm(timer, deadline); }
  /// Runs later in this turn, or in the next one if this turn's budget is used.
  void queue(Ready& entry) noexcept { ready_.push(entry); }
  /// Runs in the next turn, after descriptors were looked at: for work that was cut short to be
  /// fair.
  void requeue(Ready& entry) noexcept { next_ready_.push(entry); }

  /// Starts a root coroutine; the loop owns its frame until it ends.
  void spawn(Task<void> task);
  [[nodiscard]] std::size_t root_count() const noexcept;
  /// Destroys every root task that still waits, on the loop's thread (frames belong to it).
  void end_roots() noexcept;

 private:
  friend class Watch;
  struct Impl;
  Loop();

  void run_ready() noexcept;
  /// epoll_wait's timeout for waking at `wake`.
  int wait_ms(Moment wake) noexcept;
  void dispatch_events(int wait_ms) noexcept;
  int epoll_fd() const noexcept;
  void forget(Watch& watch) noexcept;

  std::unique_ptr<Impl> impl_;
  TimerHeap timers_;
  ReadyList ready_;
  ReadyList next_ready_;
  Moment now_{};
  bool stopped_ = false;
};

}  // namespace sluice
