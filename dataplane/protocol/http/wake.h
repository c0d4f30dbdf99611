// http/wake.h - one coroutine waits for any of several ends.
//
// Owner: a session. Thread: its worker. Ends must be detached before they are destroyed.
#pragma once

#include <array>
#include <cstddef>

#include "dataplane/protocol/http/limits.h"
#include "dataplane/transport/end.h"

namespace sluice::http {

class Wake final : private WatchSink, private Ready {
 public:
  explicit Wake(Loop& loop) noexcept : loop_(loop), event_(loop) {}
  Wake(const Wake&) = delete;
  Wake& operator=(const Wake&) = delete;
  ~Wake() override { detach_all(); }

  /// At most 1 + kMaxKept ends at a time.
  void attach(transport::End& end) noexcept {
    end.set_sink(this);
    ends_[count_++] = &end;
  }
  void detach_all() noexcept {
    while (count_ != 0) ends_[--count_]->set_sink(nullptr);
  }
  /// Detaches them when a scope ends, also when its coroutine is destroyed while it waits.
  class Attached {
   public:
    explicit Attached(Wake& wake) noexcept : wake_(wake) {}
    Attached(const Attached&) = delete;
    Attached& operator=(const Attached&) = delete;
    ~Attached() { wake_.detach_all(); }

   private:
    Wake& wake_;
  };
  /// Forgets what woke it so far: call before looking at the ends, then wait.
  void reset() noexcept { event_.reset(); }
  /// Errors: timeout, cancelled.
  Event::Await wait(Until until) noexcept { return event_.wait(until); }
  /// Wakes in the loop's next turn: for work that was cut short to be fair.
  void again() noexcept { loop_.requeue(*this); }

 private:
  void on_ready() noexcept override { event_.set(); }
  void run() noexcept override { event_.set(); }

  Loop& loop_;
  Event event_;
  std::array<transport::End*, 1 + kMaxKept> ends_{};
  std::size_t count_ = 0;
};

}  // namespace sluice::http
