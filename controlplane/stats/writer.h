// stats/writer.h - the one thread that writes the stores.
//
// Jobs run in the order they were posted. stop() runs everything that is queued, then ends the
// thread; later jobs are refused. Thread: any.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

#include "proto/common/result.h"

namespace sluice::stats {

class Writer {
 public:
  using Job = std::function<void()>;

  Writer() : thread_([this] { run(); }) {}
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;
  ~Writer() { stop(); }

  /// Errors: no_room (kMaxJobs wait), cancelled (stopped). Then the job was not taken.
  Status post(Job job);
  void stop();
  /// Jobs that are not begun.
  [[nodiscard]] std::size_t waiting() const;

 private:
  void run();

  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Job> jobs_;
  bool stopping_ = false;
  std::thread thread_;  // last: it uses the members above
};

}  // namespace sluice::stats
