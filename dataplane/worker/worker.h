// worker/worker.h - one thread of the data plane and what belongs to it alone.
//
// A flow is born, lives and dies on one worker: no locks and no shared counters on the packet path.
// Owner: dataplane/app. Thread: everything but post() and index() belongs to the worker's thread.
#pragma once

#include <memory>
#include <thread>

#include "dataplane/worker/pinned.h"
#include "proto/common/result.h"
#include "proto/runtime/buffer/slice_pool.h"
#include "proto/runtime/loop/loop.h"
#include "proto/runtime/net/datagram_batch.h"
#include "proto/runtime/net/pipe_pool.h"

namespace sluice {

struct WorkerOptions {
  unsigned index = 0;
  std::size_t pipe_bytes = 0;  ///< this worker's share of the user's pipe pages
};

class Worker {
 public:
  /// Errors: those of Loop::make.
  static Result<std::unique_ptr<Worker>> make(const WorkerOptions& options, MemoryBudget& budget,
                                              SnapshotOwner& owner);
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  /// Joins the thread if it runs.
  ~Worker();

  [[nodiscard]] unsigned index() const noexcept { return options_.index; }
  /// Shared by all workers; what lives on this one is charged to it.
  [[nodiscard]] const MemoryBudget& memory() const noexcept { return budget_; }
  Loop& loop() noexcept { return *loop_; }
  SlicePool& slices() noexcept { return slices_; }
  PipePool& pipes() noexcept { return pipes_; }
  SnapshotSlot& snapshots() noexcept { return snapshots_; }
  /// Shared by everything that reads datagrams on this worker; views die at the next receive().
  DatagramBatch& datagrams() noexcept { return datagrams_; }
  [[nodiscard]] Moment after(Millis span) const noexcept { return loop_->now() + span; }

  /// Starts the thread. `at_end` runs on it after the loop has stopped: the place to destroy what
  /// lives on this worker.
  void start(std::unique_ptr<Job> at_end);
  /// Any thread.
  void post(std::unique_ptr<Job> job) noexcept { loop_->post(std::move(job)); }
  void stop_and_join();

 private:
  Worker(const WorkerOptions& options, std::unique_ptr<Loop> loop, MemoryBudget& budget,
         SnapshotOwner& owner);
  class Trimmer;

  WorkerOptions options_;
  MemoryBudget& budget_;
  std::unique_ptr<Loop> loop_;
  SlicePool slices_;
  PipePool pipes_;
  DatagramBatch datagrams_;
  SnapshotSlot snapshots_;
  std::unique_ptr<Trimmer> trimmer_;
  std::thread thread_;
};

}  // namespace sluice
