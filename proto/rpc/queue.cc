#include "proto/rpc/queue.h"

#include <grpc/support/time.h>
#include <grpcpp/alarm.h>

#include <algorithm>
#include <utility>

namespace sluice::rpc {
namespace {

constexpr Millis kForever{3600 * 1000};

gpr_timespec in(Millis span) {
  return gpr_time_add(gpr_now(GPR_CLOCK_MONOTONIC), gpr_time_from_millis(span.count, GPR_TIMESPAN));
}

}  // namespace

void* Op::arm(std::shared_ptr<void> keep, std::function<void(bool)> handler) {
  keep_ = std::move(keep);
  handler_ = std::move(handler);
  return static_cast<Tag*>(this);
}

void Op::complete(bool ok) {
  // The handler may arm this Op again, or drop the last other owner.
  const auto keep = std::exchange(keep_, nullptr);
  const auto handler = std::exchange(handler_, nullptr);
  handler(ok);
}

Queue::Queue(std::unique_ptr<grpc::CompletionQueue> queue)
    : queue_(std::move(queue)), alarm_(std::make_unique<grpc::Alarm>()) {}

Queue::~Queue() = default;

void Queue::run() {
  for (;;) {
    run_due();
    void* tag = nullptr;
    bool ok = false;
    switch (queue_->AsyncNext(&tag, &ok, in(until_due()))) {
      case grpc::CompletionQueue::GOT_EVENT:
        static_cast<Tag*>(tag)->complete(ok);
        break;
      case grpc::CompletionQueue::TIMEOUT:
        break;
      case grpc::CompletionQueue::SHUTDOWN:
        timers_.clear();
        deadlines_.clear();
        return;
    }
  }
}

bool Queue::post(Closure closure) {
  const std::lock_guard lock(mutex_);
  if (closed_) return false;
  posted_.push_back(std::move(closure));
  if (!waking_) wake();
  return true;
}

void Queue::wake() {
  waking_ = true;
  alarm_->Set(queue_.get(), gpr_now(GPR_CLOCK_MONOTONIC), static_cast<Tag*>(&woken_));
}

void Queue::run_posted() {
  std::vector<Closure> batch;
  {
    const std::lock_guard lock(mutex_);
    batch.swap(posted_);
    waking_ = false;
    if (closed_) return;
  }
  for (const Closure& closure : batch) closure();
}

void Queue::shut_down() {
  std::vector<Closure> dropped;
  {
    const std::lock_guard lock(mutex_);
    if (closed_) return;
    closed_ = true;
    dropped.swap(posted_);
    // Under the lock: an alarm must not be set on a queue that is shut down.
    queue_->Shutdown();
  }
}

Queue::TimerId Queue::after(Millis span, Closure closure) {
  const TimerId id = ++last_timer_;
  const Moment at = monotonic_now() + span;
  timers_.emplace(std::pair{at, id}, std::move(closure));
  deadlines_.emplace(id, at);
  return id;
}

void Queue::cancel(TimerId id) {
  const auto found = deadlines_.find(id);
  if (found == deadlines_.end()) return;
  timers_.erase({found->second, id});
  deadlines_.erase(found);
}

Millis Queue::until_due() const {
  if (timers_.empty()) return kForever;
  return std::max(Millis{0}, timers_.begin()->first.first - monotonic_now());
}

void Queue::run_due() {
  const Moment now = monotonic_now();
  while (!timers_.empty() && timers_.begin()->first.first <= now) {
    auto node = timers_.extract(timers_.begin());
    deadlines_.erase(node.key().second);
    node.mapped()();
  }
}

}  // namespace sluice::rpc
