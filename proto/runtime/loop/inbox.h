// loop/inbox.h - jobs from any thread to one loop, in order per sender; one wake-up per batch.
#pragma once

#include <atomic>
#include <memory>

#include "proto/runtime/loop/job.h"

namespace sluice {

class Inbox {
 public:
  Inbox() noexcept = default;
  Inbox(const Inbox&) = delete;
  Inbox& operator=(const Inbox&) = delete;
  ~Inbox() { drop_all(); }

  /// Any thread. True when the receiver must be woken (the inbox was empty).
  [[nodiscard]] bool push(std::unique_ptr<Job> job) noexcept {
    Job* raw = job.release();
    Job* head = head_.load(std::memory_order_relaxed);
    do {
      raw->next_ = head;
    } while (!head_.compare_exchange_weak(head, raw, std::memory_order_release,
                                          std::memory_order_relaxed));
    return head == nullptr;
  }
  /// Receiver's thread: runs everything that is here, oldest first.
  void run_all() {
    Job* job = take();
    while (job != nullptr) {
      const std::unique_ptr<Job> owned(job);
      job = job->next_;
      owned->run();
    }
  }

 private:
  Job* take() noexcept {
    Job* newest = head_.exchange(nullptr, std::memory_order_acquire);
    Job* oldest = nullptr;
    while (newest != nullptr) {
      Job* next = newest->next_;
      newest->next_ = oldest;
      oldest = newest;
      newest = next;
    }
    return oldest;
  }
  void drop_all() noexcept {
    Job* job = take();
    while (job != nullptr) {
      const std::unique_ptr<Job> owned(job);
      job = job->next_;
    }
  }

  std::atomic<Job*> head_{nullptr};
};

}  // namespace sluice
