#include "dataplane/worker/worker.h"

#include <pthread.h>

#include <string>
#include <utility>

#include "dataplane/worker/limits.h"
#include "proto/runtime/loop/frame_pool.h"

namespace sluice {

/// Gives back what a busy second left behind. Armed only while there is something to look at would
/// save wake-ups; one a second costs less than the bookkeeping.
class Worker::Trimmer final : public Timer {
 public:
  explicit Trimmer(Worker& worker) noexcept : worker_(worker) { arm(); }

 private:
  void arm() noexcept { worker_.loop_->arm(*this, worker_.loop_->now() + kTrimInterval); }
  void fire() noexcept override {
    worker_.slices_.trim();
    worker_.pipes_.trim(kWarmPipes);
    worker_.datagrams_.trim();
    frame_pool::trim();
    arm();
  }
  Worker& worker_;
};

Result<std::unique_ptr<Worker>> Worker::make(const WorkerOptions& options, MemoryBudget& budget,
                                             SnapshotOwner& owner) {
  auto loop = Loop::make();
  if (!loop) return fail(loop.error());
  std::unique_ptr<Worker> worker(new Worker(options, std::move(*loop), budget, owner));
  worker->trimmer_ = std::make_unique<Trimmer>(*worker);
  return worker;
}

Worker::Worker(const WorkerOptions& options, std::unique_ptr<Loop> loop, MemoryBudget& budget,
               SnapshotOwner& owner)
    : options_(options),
      budget_(budget),
      loop_(std::move(loop)),
      slices_(budget),
      pipes_(options.pipe_bytes),
      snapshots_(owner, options.index) {}

Worker::~Worker() {
  stop_and_join();
}

void Worker::start(std::unique_ptr<Job> at_end) {
  thread_ = std::thread([this, at_end = std::move(at_end)] {
    ::pthread_setname_np(::pthread_self(), ("worker-" + std::to_string(options_.index)).c_str());
    frame_pool::charge_to(budget_);
    loop_->run();
    at_end->run();
  });
}

void Worker::stop_and_join() {
  if (!thread_.joinable()) return;
  loop_->request_stop();
  thread_.join();
}

}  // namespace sluice
