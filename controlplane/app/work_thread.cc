#include "controlplane/app/work_thread.h"

#include <utility>

namespace sluice::control_plane {

void WorkThread::run(std::function<void()> job, std::function<void()> then) {
  const std::lock_guard lock(mutex_);
  if (stopping_) return;
  waiting_.push_back({std::move(job), std::move(then)});
  wake_.notify_one();
}

void WorkThread::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    waiting_.clear();
  }
  wake_.notify_one();
  if (thread_.joinable()) thread_.join();
}

void WorkThread::serve() {
  for (;;) {
    Entry entry;
    {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [this] { return stopping_ || !waiting_.empty(); });
      if (stopping_) return;
      entry = std::move(waiting_.front());
      waiting_.pop_front();
    }
    entry.job();
    entry.job = nullptr;  // what it holds is freed here, not on the loop
    home_.post(make_job(std::move(entry.then)));
  }
}

}  // namespace sluice::control_plane
