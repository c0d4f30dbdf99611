// net/send_batch.h - datagrams out in batches: one system call, and one pass through the kernel's
// stack for those that may go as segments of one (UDP_SEGMENT).
//
//   A A A a | B B | A      A, B: destinations; a: shorter
//   one message  one  one  boundaries, sizes and order stay as they are
//
// Thread: any.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "proto/common/address.h"
#include "proto/common/cursor.h"
#include "proto/runtime/net/limits.h"
#include "proto/runtime/net/offload.h"

namespace sluice {

/// One datagram to send: `head`, then `bytes`. `to` invalid = the socket is connected. `source`
/// valid = send from that local address (IP_PKTINFO).
struct OutDatagram {
  ByteView bytes;
  Endpoint to;
  IpAddress source;
  ByteView head;
  [[nodiscard]] std::size_t size() const noexcept { return head.size() + bytes.size(); }
};

/// Up to kSendBatch of them; room that is not used is not touched.
class OutBatch {
 public:
  OutBatch() noexcept {}
  [[nodiscard]] bool full() const noexcept { return count_ == kSendBatch; }
  [[nodiscard]] std::size_t size() const noexcept { return count_; }
  /// Needs !full().
  void add(const OutDatagram& datagram) noexcept { std::construct_at(&room_[count_++], datagram); }
  void clear() noexcept { count_ = 0; }
  [[nodiscard]] std::span<const OutDatagram> view() const noexcept { return {room_, count_}; }

 private:
  union {
    OutDatagram room_[kSendBatch];
  };
  std::size_t count_ = 0;
};

/// `as_v6`: the socket is dual-stack. Returns how many left. What the socket has no room for is
/// dropped with all that follows; a datagram that is refused for itself (EMSGSIZE, unreachable) is
/// dropped alone. `limit`: of this socket; nullptr: each datagram goes alone.
std::size_t send_batch(int fd, std::span<const OutDatagram> batch, bool as_v6,
                       SegmentLimit* limit = nullptr) noexcept;

}  // namespace sluice
