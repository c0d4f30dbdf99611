// app/later.h - one value that a callback brings, for a coroutine that waits.
//
//   auto verdict = std::make_shared<Later<Verdict>>(loop);
//   client.apply(..., [verdict](Verdict v) { verdict->fill(std::move(v)); });   // on the loop
//   co_await verdict->filled();
//   verdict->take();
//
// Shared between the callback and the coroutine, so either may end first. Thread: the loop's.
#pragma once

#include <optional>
#include <utility>

#include "proto/runtime/loop/wait.h"

namespace sluice::control_plane {

template <class T>
class Later {
 public:
  explicit Later(Loop& loop) : event_(loop) {}
  /// Only the first value counts.
  void fill(T value) {
    if (value_) return;
    value_.emplace(std::move(value));
    event_.set();
  }
  /// Without `until` whoever promised the value keeps the promise by a deadline of its own.
  [[nodiscard]] Event::Await filled() noexcept { return filled(Moment::never()); }
  [[nodiscard]] Event::Await filled(Until until) noexcept { return event_.wait(until); }
  /// Once, after filled().
  [[nodiscard]] T take() { return std::move(*value_); }

 private:
  Event event_;
  std::optional<T> value_;
};

}  // namespace sluice::control_plane
