// transport/layer.h - one transformation of a byte stream: a cipher, a framing, a handshake.
//
//     plain bytes (the relay's side)
//        |  seal / finish          ^  open
//        v                         |
//     [ layer n ]  …  [ layer 1 ]  wire bytes (the socket's side)
//
// A layer is four plain functions and a state. It owns no socket, never waits, and never sees the
// relay; backpressure is the end's business. Handshakes that need a round trip are coroutines over
// the end below (handshake()).
//
// Owner: the End it was pushed on. Thread: that end's worker.
#pragma once

#include <cstddef>
#include <cstdint>

#include "proto/common/clock.h"
#include "proto/common/result.h"
#include "proto/runtime/buffer/slice_queue.h"
#include "proto/runtime/loop/frame_pool.h"
#include "proto/runtime/loop/task.h"
#include "proto/runtime/loop/wait.h"

namespace sluice::transport {

/// What one record needs around its payload, so that an end's headroom is known when the stack is
/// built. Variable padding is an extra slice, never headroom.
struct LayerShape {
  std::size_t head = 0;         ///< bytes in front of one record's payload
  std::size_t tail = 0;         ///< bytes behind it
  std::size_t max_payload = 0;  ///< plain bytes per record; 0 = any
};

enum class LayerState : std::uint8_t {
  open,
  half_closed,  ///< the far side ended its plain stream inside the layer; sealing still works
  transparent,  ///< from here on bytes pass unchanged: the end drops this layer
  failed,       ///< nothing works any more
};

class Layer : public frame_pool::Pooled {
 public:
  Layer() noexcept = default;
  Layer(const Layer&) = delete;
  Layer& operator=(const Layer&) = delete;
  virtual ~Layer() = default;

  [[nodiscard]] virtual LayerShape shape() const noexcept = 0;
  [[nodiscard]] virtual LayerState state() const noexcept = 0;

  /// Opens what it can of `wire` (consuming it) into `plain`. Bytes to send back at once (pong,
  /// KeyUpdate, window update) go to `reply`. An incomplete record stays in `wire`.
  /// Errors: malformed, bad_tag, no_room; the layer is failed afterwards, except for no_room
  /// (nothing was consumed that was not delivered: call again).
  virtual Status open(SliceQueue& wire, SliceQueue& plain, SliceQueue& reply) noexcept = 0;

  /// Seals all of `plain` (consuming it) into `wire`. With nothing in `plain`, a layer that still
  /// owes the far side its head sends that. Errors: no_room (what is left stays in `plain`: call
  /// again), system.
  virtual Status seal(SliceQueue& plain, SliceQueue& wire) noexcept = 0;

  /// The end of the plain stream, as this layer says it on the wire (close_notify, an end record);
  /// nothing for layers whose end is the socket's FIN.
  virtual Status finish(SliceQueue& wire) noexcept {
    (void)wire;
    return {};
  }

  /// Called about once a second: keep-alives, rekeying by time.
  virtual Status tick(Moment now, SliceQueue& wire) noexcept {
    (void)now;
    (void)wire;
    return {};
  }
};

}  // namespace sluice::transport
