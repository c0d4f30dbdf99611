#include "controlplane/stats/writer.h"

#include <utility>

#include "controlplane/stats/bounds.h"

namespace sluice::stats {

Status Writer::post(Job job) {
  {
    const std::lock_guard lock(mutex_);
    if (stopping_) return fail(Errc::cancelled);
    if (jobs_.size() >= kMaxJobs) return fail(Errc::no_room);
    jobs_.push_back(std::move(job));
  }
  wake_.notify_one();
  return {};
}

std::size_t Writer::waiting() const {
  const std::lock_guard lock(mutex_);
  return jobs_.size();
}

void Writer::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_one();
  if (thread_.joinable()) thread_.join();
}

void Writer::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    wake_.wait(lock, [this] { return stopping_ || !jobs_.empty(); });
    if (jobs_.empty()) return;
    const Job job = std::move(jobs_.front());
    jobs_.pop_front();
    lock.unlock();
    job();
    lock.lock();
  }
}

}  // namespace sluice::stats
