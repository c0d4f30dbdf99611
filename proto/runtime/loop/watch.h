// loop/watch.h - one descriptor in a loop's edge-triggered set.
//
// Readiness is remembered: a flag is set by an event and cleared by whoever got EAGAIN. There are
// two epoll_ctl per descriptor's life. The second cannot be left to close(): while a duplicate of
// the descriptor is open somewhere, the kernel goes on reporting events to where the watch was.
//
// Two ways to use it: await readable()/writable() (see loop/wait.h), or set_sink() and be called.
#pragma once

#include <cstdint>
#include <utility>

#include "proto/common/result.h"
#include "proto/common/unique_fd.h"
#include "proto/runtime/loop/frame_pool.h"
#include "proto/runtime/loop/loop.h"

namespace sluice {

/// Gets a watch's events on the loop's thread. May destroy the watch.
class WatchSink {
 public:
  virtual void on_ready() noexcept = 0;

 protected:
  ~WatchSink() = default;
};

/// Waits inside await: see wait.h.
class Waiter;

/// What a watch reports. A datagram socket takes or drops what is sent: the room that each datagram
/// leaves behind would be an event of its own.
enum class Interest : std::uint8_t { both, reading };

class Watch final : public frame_pool::Pooled {
 public:
  /// Takes the descriptor, which must be non-blocking. Errors: system (e.g. a plain file).
  static Result<std::unique_ptr<Watch>> make(Loop& loop, UniqueFd fd,
                                             Interest interest = Interest::both);
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;
  /// Waiters end with Errc::cancelled; the descriptor is closed.
  ~Watch();

  [[nodiscard]] int fd() const noexcept { return fd_.get(); }
  [[nodiscard]] Loop& loop() const noexcept { return loop_; }

  [[nodiscard]] bool readable() const noexcept { return readable_; }
  [[nodiscard]] bool writable() const noexcept { return writable_; }
  /// EPOLLRDHUP, EPOLLHUP or EPOLLERR was seen: no further edge may come, read to the end.
  [[nodiscard]] bool hung_up() const noexcept { return hung_up_; }
  /// EPOLLPRI was seen: the stream has an urgent mark. A read stops in front of it and splice never
  /// passes it, whatever lies behind: read, and read until EAGAIN.
  [[nodiscard]] bool urgent() const noexcept { return urgent_; }
  /// Whether EPOLLERR was seen since the last call.
  [[nodiscard]] bool take_error() noexcept { return std::exchange(error_, false); }
  /// The last read / write got EAGAIN.
  void clear_readable() noexcept { readable_ = false; }
  void clear_writable() noexcept { writable_ = false; }

  /// Events go to `sink` (nullptr: to the waiters). Not called for readiness that is already known.
  void set_sink(WatchSink* sink) noexcept { sink_ = sink; }

 private:
  friend class Loop;
  friend class ReadinessAwait;
  Watch(Loop& loop, UniqueFd fd) noexcept : loop_(loop), fd_(std::move(fd)) {}
  void on_events(std::uint32_t events) noexcept;

  Loop& loop_;
  UniqueFd fd_;
  bool readable_ = false;
  bool writable_ = false;
  bool hung_up_ = false;
  bool urgent_ = false;
  bool error_ = false;
  WatchSink* sink_ = nullptr;
  Waiter* reader_ = nullptr;
  Waiter* writer_ = nullptr;
};

}  // namespace sluice
