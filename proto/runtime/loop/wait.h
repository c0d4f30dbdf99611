// loop/wait.h - the awaits: readiness, sleep, and a one-shot event; each takes a deadline.
//
// Until says how long an await may last and who may end it early. A CancelScope belongs to one
// flow; cancel() ends every await under it with Errc::cancelled, and all later ones at once.
// Thread: the loop's.
#pragma once

#include <coroutine>
#include <optional>

#include "proto/common/clock.h"
#include "proto/common/result.h"
#include "proto/runtime/loop/loop.h"
#include "proto/runtime/loop/watch.h"

namespace sluice {

/// Something a coroutine waits for. Lives in the coroutine's frame.
class Waiter : public Timer {
 public:
  /// Ends the wait: the coroutine is queued and sees `outcome`. No effect after the first call.
  void finish(Status outcome) noexcept;
  ~Waiter() override;

 protected:
  explicit Waiter(Loop& loop) noexcept : loop_(loop) {}
  void begin(std::coroutine_handle<> handle, Moment deadline, class CancelScope* scope) noexcept;
  /// Called when the wait ends for whatever reason, before the coroutine runs.
  virtual void detach() noexcept = 0;
  void fire() noexcept override { finish(fail(Errc::timeout)); }

  Loop& loop_;
  Status outcome_;
  bool waiting_ = false;

 private:
  friend class CancelScope;
  void leave_scope() noexcept;
  ReadyCoroutine resume_;
  class CancelScope* scope_ = nullptr;
  Waiter* next_ = nullptr;
  Waiter* previous_ = nullptr;
};

class CancelScope {
 public:
  CancelScope() noexcept = default;
  CancelScope(const CancelScope&) = delete;
  CancelScope& operator=(const CancelScope&) = delete;
  ~CancelScope() = default;
  void cancel() noexcept;
  [[nodiscard]] bool cancelled() const noexcept { return cancelled_; }

 private:
  friend class Waiter;
  Waiter* first_ = nullptr;
  bool cancelled_ = false;
};

struct Until {
  Until(Moment at) noexcept : deadline(at) {}  // NOLINT(google-explicit-constructor)
  Until(Moment at, CancelScope& by) noexcept : deadline(at), scope(&by) {}
  Moment deadline;
  CancelScope* scope = nullptr;
  /// The earlier of this deadline and `at`, same scope.
  [[nodiscard]] Until earlier(Moment at) const noexcept {
    Until out = *this;
    if (at < deadline) out.deadline = at;
    return out;
  }
};

/// `const Status ready = co_await readable(watch, until);` Errors: timeout, cancelled.
class ReadinessAwait final : public Waiter {
 public:
  enum class Side : std::uint8_t { read, write };
  ReadinessAwait(Watch& watch, Side side, Until until) noexcept
      : Waiter(watch.loop()), watch_(watch), side_(side), until_(until) {}
  ~ReadinessAwait() override {
    if (waiting_) detach();
  }
  [[nodiscard]] bool await_ready() noexcept;
  void await_suspend(std::coroutine_handle<> handle) noexcept;
  Status await_resume() const noexcept { return outcome_; }

 private:
  void detach() noexcept override;
  Watch& watch_;
  Side side_;
  Until until_;
};
[[nodiscard]] inline ReadinessAwait readable(Watch& watch, Until until) noexcept {
  return {watch, ReadinessAwait::Side::read, until};
}
[[nodiscard]] inline ReadinessAwait writable(Watch& watch, Until until) noexcept {
  return {watch, ReadinessAwait::Side::write, until};
}

/// Ends with ok at `until.deadline`. Errors: cancelled.
class SleepAwait final : public Waiter {
 public:
  SleepAwait(Loop& loop, Until until) noexcept : Waiter(loop), until_(until) {}
  [[nodiscard]] bool await_ready() noexcept;
  void await_suspend(std::coroutine_handle<> handle) noexcept {
    begin(handle, until_.deadline, until_.scope);
  }
  Status await_resume() const noexcept { return outcome_; }

 private:
  void fire() noexcept override { finish({}); }
  void detach() noexcept override {}
  Until until_;
};
[[nodiscard]] inline SleepAwait sleep_until(Loop& loop, Until until) noexcept {
  return {loop, until};
}

/// One coroutine waits, anybody on the loop's thread wakes it. set() before the wait is remembered.
class Event {
 public:
  explicit Event(Loop& loop) noexcept : loop_(loop) {}
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  ~Event();
  void set() noexcept;
  void reset() noexcept { set_ = false; }
  [[nodiscard]] bool is_set() const noexcept { return set_; }

  class Await final : public Waiter {
   public:
    Await(Event& event, Until until) noexcept
        : Waiter(event.loop_), event_(&event), until_(until) {}
    ~Await() override {
      if (waiting_) detach();
    }
    [[nodiscard]] bool await_ready() noexcept;
    void await_suspend(std::coroutine_handle<> handle) noexcept;
    Status await_resume() const noexcept { return outcome_; }

   private:
    friend class Event;
    void detach() noexcept override;
    Event* event_;
    Until until_;
  };
  /// Errors: timeout, cancelled.
  [[nodiscard]] Await wait(Until until) noexcept { return {*this, until}; }

 private:
  Loop& loop_;
  Await* waiter_ = nullptr;
  bool set_ = false;
};

}  // namespace sluice
