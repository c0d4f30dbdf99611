// framed/frame.h - one datagram on a stream.
//
//   length(2, big endian, of what follows) | 0 0 0 | address | payload
//
// The head is that of SOCKS5 (RFC 1928 section 7). A frame that makes no sense is skipped by its
// length: the stream stays in step.
//
// Owner: an end. Thread: its worker.
#pragma once

#include <cstdint>
#include <optional>

#include "dataplane/protocol/socks/udp_head.h"
#include "proto/runtime/buffer/slice_queue.h"

namespace sluice::framed {

inline constexpr std::size_t kLengthSize = 2;
/// Headroom that one frame needs.
inline constexpr std::size_t kMaxFrameHead = kLengthSize + socks::kMaxUdpHead;
/// Largest frame, without its length: it must fit a block together with the room that the next
/// protocol needs.
inline constexpr std::size_t kMaxFrame = kBlockRoom - kHeadroom - kTailroom;
inline constexpr std::size_t kMaxFramePayload = kMaxFrame - socks::kMaxUdpHead;

/// A received frame: the payload in a slice of its own, with headroom and tailroom around it.
struct Frame {
  Slice slice;             ///< holds what the views point into
  socks::Address address;  ///< view into `slice`
  Packet packet;           ///< the payload, a view into `slice`
};

class FrameReader {
 public:
  /// The next good frame of `in`, or nothing when the rest is incomplete. Errors: no_room (try
  /// again).
  Result<std::optional<Frame>> next(SliceQueue& in, SlicePool& pool) noexcept;
  /// Frames that were malformed or too large.
  [[nodiscard]] std::uint64_t dropped() const noexcept { return dropped_; }

 private:
  void skip(SliceQueue& in) noexcept;
  std::uint64_t dropped_ = 0;
  std::size_t skip_ = 0;  ///< bytes of a frame that is too large to keep
};

/// Makes `packet` a frame in place. Errors: no_room (the packet lacks headroom), too_large.
[[nodiscard]] Status push_frame_head(Packet& packet, const Destination& address) noexcept;

}  // namespace sluice::framed
