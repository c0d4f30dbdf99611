// loop/job.h - a closure that crosses threads: made on one, run and freed on another.
#pragma once

#include <memory>
#include <utility>

namespace sluice {

class Job {
 public:
  Job() noexcept = default;
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;
  virtual ~Job() = default;
  virtual void run() = 0;

 private:
  friend class Inbox;
  Job* next_ = nullptr;
};

/// Wraps a callable; runs it once on the receiving thread.
template <class F>
[[nodiscard]] std::unique_ptr<Job> make_job(F&& callable) {
  class Holder final : public Job {
   public:
    explicit Holder(F&& callable) : callable_(std::forward<F>(callable)) {}
    void run() override { callable_(); }

   private:
    std::decay_t<F> callable_;
  };
  return std::make_unique<Holder>(std::forward<F>(callable));
}

}  // namespace sluice
