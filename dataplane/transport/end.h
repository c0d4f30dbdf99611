// transport/end.h - one side of a flow: bytes in, bytes out, whatever lies below.
//
// An end is a socket under a short stack of layers; a multiplexer's stream will be another kind.
// The relay and all handshakes work on this interface only. All bytes here are plain bytes: what
// the user's application wrote.
//
//   read():  socket -> layer 1 .. n -> `into`
//   write(): `from` -> layer n .. 1 -> out queue -> socket, as much as the socket takes
//
// Backpressure is one rule: when queued() is above kOutMark, the other end stops reading.
//
// Owner: the flow. Thread: its worker.
#pragma once

#include <cstddef>
#include <memory>

#include "dataplane/transport/layer.h"
#include "proto/common/address.h"
#include "proto/runtime/net/open.h"
#include "proto/runtime/net/socket.h"

namespace sluice::transport {

class End : public frame_pool::Pooled {
 public:
  End() noexcept = default;
  End(const End&) = delete;
  End& operator=(const End&) = delete;
  virtual ~End() = default;

  /// Reads once (bounded by `budget` bytes of wire) and appends the plain bytes to `into`. Returns
  /// how many plain bytes came; 0 with no error means only layer-internal bytes came: call again.
  /// Errors: again (wait for readiness), closed (end of stream; sticky), no_room, reset, bad_tag …
  virtual Result<std::size_t> read(SliceQueue& into, std::size_t budget) noexcept = 0;

  /// Takes all of `from`, seals and writes what the socket takes now; the rest stays queued here.
  /// An empty `from` sends heads that otherwise ride in front of the first payload.
  /// With nothing in `from`, layers that still owe the far side a head send it.
  /// Errors: no_room (what is left stays in `from`), reset, closed (after finish()), system.
  virtual Status write(SliceQueue& from) noexcept = 0;
  /// Writes more of what is queued. Errors: as write.
  virtual Status flush() noexcept = 0;
  /// Sealed bytes that the socket has not taken yet; not 0 either while the goodbye that finish()
  /// asked for found no slice.
  [[nodiscard]] virtual std::size_t queued() const noexcept = 0;

  /// Ends the plain stream: layers say their goodbye, then FIN once the queue is empty. Reading
  /// goes on. Idempotent. Errors: as flush(); after no_room, flush() says it later.
  virtual Status finish() noexcept = 0;
  /// Asks a silent far side whether it still lives, from now on.
  virtual void keep_alive(const KeepAlive& options) noexcept = 0;
  /// The destructor sends RST instead of FIN.
  virtual void abort() noexcept = 0;
  /// Called about once a second while open.
  virtual Status tick(Moment now) noexcept = 0;

  /// The socket when nothing but the socket is left (no layers, nothing buffered either way): then
  /// the relay may splice. nullptr otherwise.
  [[nodiscard]] virtual Socket* bare() noexcept = 0;

  /// Readiness; flags as Watch.
  [[nodiscard]] virtual bool readable() const noexcept = 0;
  [[nodiscard]] virtual bool writable() const noexcept = 0;
  /// Events go to `sink` while set; handshakes need nullptr.
  virtual void set_sink(WatchSink* sink) noexcept = 0;
  /// Waits in a coroutine; for reading only after read() said `again`. Errors: timeout, cancelled.
  virtual ReadinessAwait wait_readable(Until until) noexcept = 0;
  virtual ReadinessAwait wait_writable(Until until) noexcept = 0;

  /// Puts bytes back in front of everything read next (a peeked hello).
  virtual void unread(SliceQueue bytes) noexcept = 0;
  /// Headroom and tailroom that the plain bytes should come with.
  [[nodiscard]] virtual std::size_t headroom() const noexcept = 0;
  [[nodiscard]] virtual SlicePool& pool() noexcept = 0;
  [[nodiscard]] virtual Loop& loop() noexcept = 0;
  [[nodiscard]] virtual Endpoint local() const noexcept = 0;
  [[nodiscard]] virtual Endpoint remote() const noexcept = 0;
};

/// Waits a moment for slices to come back to the pool; the caller tries again after each success.
/// Errors: no_room at the deadline, cancelled.
Task<Status> wait_for_slices(Loop& loop, Until until);

// An empty pool makes these wait, until the deadline: what was accepted is served late, not lost.

/// Waits until at least one more plain byte is in `into`.
/// Errors: closed at the end of the stream, timeout, no_room at the deadline, cancelled, and those
/// of End::read.
Task<Status> fill(End& end, SliceQueue& into, Until until);
/// Waits until `into` holds at least `count` bytes and returns them contiguous. Errors: as fill.
Task<Result<ByteSpan>> fill_to(End& end, SliceQueue& into, std::size_t count, Until until);
/// Sends all of `bytes` and waits until the socket has taken it.
/// Errors: timeout, no_room at the deadline, cancelled, and those of End::write.
Task<Status> send(End& end, ByteView bytes, Until until);
Task<Status> send(End& end, SliceQueue bytes, Until until);

}  // namespace sluice::transport
