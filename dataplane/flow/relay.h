// flow/relay.h - moves bytes between two ends until both directions have ended.
//
//   client ──read──> pending ──write──> upstream        each direction is one Direction object;
//   client <─write── pending <──read─── upstream        the code is written once
//
// Both ends bare and the direction bulk: splice(2) through a pipe that is borrowed only while bytes
// are in flight. Otherwise one read and one write per turn through pooled slices. Readiness is
// edge-triggered: a direction reads until EAGAIN or until its share of the turn is used, then is
// queued again. An idle relay holds neither pipe nor slice.
//
// End of stream is passed on as end of stream (half-close); a reset as a reset. When both streams
// have ended, closing the sockets says so to whoever has not heard it yet. The coroutine sleeps in
// wait() until the end.
//
// Owner: the flow. Thread: its worker. Nothing allocates.
#pragma once

#include <cstdint>
#include <optional>

#include "dataplane/flow/limits.h"
#include "dataplane/transport/end.h"
#include "dataplane/worker/grant.h"
#include "dataplane/worker/worker.h"
#include "proto/runtime/loop/wait.h"

namespace sluice::flow {

/// Bytes of one flow; the worker's own plain counters.
struct Meter {
  std::uint64_t upload = 0;          ///< from the client
  std::uint64_t download = 0;        ///< to the client
  std::uint64_t upload_packets = 0;  ///< datagrams; streams have none
  std::uint64_t download_packets = 0;

  void sent(std::size_t datagram) noexcept {
    upload += datagram;
    ++upload_packets;
  }
  void received(std::size_t datagram) noexcept {
    download += datagram;
    ++download_packets;
  }
};

struct RelayLimits {
  Millis idle{};         ///< both directions silent
  Millis half_closed{};  ///< after one side ended
  KeepAlive keep_alive;  ///< of both ends, once the flow has lasted
  Millis lasting = kLasting;
};

class Relay final : private WatchSink, private Ready, private Timer {
 public:
  Relay(Worker& worker, transport::End& client, transport::End& upstream, Meter& meter,
        Grant& grant, const RelayLimits& limits) noexcept;
  Relay(const Relay&) = delete;
  Relay& operator=(const Relay&) = delete;
  ~Relay() override;

  /// Moves what is there already; once.
  void start() noexcept;
  /// After start(): `const Status woke = co_await relay.wait(until);`
  [[nodiscard]] Event::Await wait(Until until) noexcept { return done_.wait(until); }
  /// How it ended, given how wait() did: ok when both directions ended in order. Errors: reset,
  /// timeout (idle), cancelled, bad_tag …; `side` says which end.
  [[nodiscard]] Status outcome(const Status& woke) const noexcept {
    return ended_ || woke ? outcome_ : woke;
  }
  /// Whose end of stream came first; meaningful once one direction has ended.
  [[nodiscard]] Side first_to_close() const noexcept { return first_to_close_; }
  /// True once one direction has ended.
  [[nodiscard]] bool half_closed() const noexcept { return up_.finished || down_.finished; }

 private:
  struct Direction {
    transport::End* from;
    transport::End* to;
    std::uint64_t* counter;
    Side from_side;
    Side to_side;
    SliceQueue pending;  ///< opened, not yet taken by `to` (only when its pool was empty)
    std::optional<Pipe> pipe;
    std::size_t in_pipe = 0;
    PipeSize wish = PipeSize::small;
    bool bulk = false;
    bool ended = false;     ///< `from` said end of stream
    bool finished = false;  ///< and `to` was told
  };
  enum class Move : std::uint8_t { idle, more, failed };

  void on_ready() noexcept override;
  void run() noexcept override { turn(); }  // Ready
  void fire() noexcept override;            // Timer

  void turn() noexcept;
  Move move(Direction& d) noexcept;
  Move move_once(Direction& d, std::size_t& budget) noexcept;
  Move move_slices(Direction& d, std::size_t& budget) noexcept;
  Move move_splice(Direction& d, Socket& from, Socket& to, std::size_t& budget) noexcept;
  Move drain_pipe(Direction& d, Socket& to) noexcept;
  bool borrow_pipe(Direction& d) noexcept;
  void return_pipe(Direction& d) noexcept;
  Move read_failed(Direction& d, Error error) noexcept;
  void end_stream(Direction& d) noexcept;
  Move stop(Error error, Side side) noexcept;
  void wait_for_pool() noexcept;
  void arm_timer() noexcept;
  void settle() noexcept;
  [[nodiscard]] Moment idle_deadline() const noexcept;
  bool tick_layers() noexcept;
  void finish_run() noexcept;

  Worker& worker_;
  Grant& grant_;
  RelayLimits limits_;
  Direction up_;
  Direction down_;
  Event done_;
  Status outcome_;
  Moment last_activity_{};
  Moment retry_at_ = Moment::never();
  Moment settle_at_ = Moment::never();
  Moment tick_at_ = Moment::never();  ///< never while both ends are bare
  Side first_to_close_ = Side::us;
  bool ended_ = false;
};

}  // namespace sluice::flow
