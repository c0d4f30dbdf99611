// http/wake.h - one coroutine waits for any of several ends and idle upstreams.
//
// Owner: a session. Thread: its worker. They must be detached before they are destroyed.
#pragma once

#include <array>
#include <cstddef>

#include "dataplane/protocol/http/limits.h"
#include "dataplane/protocol/http/upstream.h"
#include "dataplane/transport/end.h"

namespace sluice::http {

class Wake final : private WatchSink, private Ready {
 public:
  explicit Wake(Loop& loop) noexcept : loop_(loop), event_(loop) {}
  Wake(const Wake&) = delete;
  Wake& operator=(const Wake&) = delete;
  ~Wake() override { detach_all(); }

  /// At most kMaxEnds at a time.
  void attach(transport::End& end) noexcept {
    end.set_sink(this);
    ends_[end_count_++] = &end;
  }
  /// At most kMaxKept at a time.
  void attach(HttpUpstream& upstream) noexcept {
    upstream.set_sink(this);
    upstreams_[upstream_count_++] = &upstream;
  }
  void detach_all() noexcept {
    while (end_count_ != 0) ends_[--end_count_]->set_sink(nullptr);
    while (upstream_count_ != 0) upstreams_[--upstream_count_]->set_sink(nullptr);
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
  static constexpr std::size_t kMaxEnds = 2;  ///< the client's, and the origin's of an exchange
  void on_ready() noexcept override { event_.set(); }
  void run() noexcept override { event_.set(); }

  Loop& loop_;
  Event event_;
  std::array<transport::End*, kMaxEnds> ends_{};
  std::array<HttpUpstream*, kMaxKept> upstreams_{};
  std::size_t end_count_ = 0;
  std::size_t upstream_count_ = 0;
};

}  // namespace sluice::http
