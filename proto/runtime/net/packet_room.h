// net/packet_room.h - headroom and tailroom for datagrams that lack it.
//
// Merged datagrams lie side by side; a protocol that prepends its head in place needs them apart.
// Only such packets are copied, into memory that is taken when the first one comes.
//
// Owner: whoever collects a batch of packets. Thread: the owner's.
#pragma once

#include <cstddef>
#include <memory>

#include "proto/runtime/net/datagram_batch.h"

namespace sluice {

class PacketRoom {
 public:
  /// `packet` has the room when this returns true; it may lie here then, until reset(). False: the
  /// memory is used up, send what was collected and reset. After a reset it never fails.
  [[nodiscard]] bool ensure(Packet& packet, std::size_t headroom, std::size_t tailroom);
  /// Nobody looks at the copies any more.
  void reset() noexcept { used_ = 0; }
  /// Gives the memory back. Needs a reset() before.
  void release() noexcept { memory_.reset(); }

 private:
  std::unique_ptr<std::byte[]> memory_;
  std::size_t used_ = 0;
};

}  // namespace sluice
