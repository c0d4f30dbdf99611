// app/work_thread.h - one thread for what would hold up DNS: reading and compiling a configuration,
// writing files.
//
//   home ── run(job, then) ──> queue ── job() ── post ──> home: then()
//
// One job at a time, in order; so what jobs share needs no lock. Owner: ControlPlane.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

#include "controlplane/provider/work.h"
#include "proto/runtime/loop/loop.h"

namespace sluice::control_plane {

class WorkThread final : public provider::Work {
 public:
  explicit WorkThread(Loop& home) : home_(home), thread_([this] { serve(); }) {}
  WorkThread(const WorkThread&) = delete;
  WorkThread& operator=(const WorkThread&) = delete;
  /// Finishes the running job; jobs that wait are dropped.
  ~WorkThread() override { stop(); }

  /// Thread: home. `then` does not run once stop() was called.
  void run(std::function<void()> job, std::function<void()> then) override;
  void stop();

 private:
  struct Entry {
    std::function<void()> job;
    std::function<void()> then;
  };
  void serve();

  Loop& home_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Entry> waiting_;
  bool stopping_ = false;
  std::thread thread_;  // last: it uses the members above
};

}  // namespace sluice::control_plane
