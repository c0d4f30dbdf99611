// net/datagram_batch.h - UDP in batches: recvmmsg into buffers with room around what arrives.
//
//   one datagram:  |<- kHeadroom ->|<- datagram ->|<- kTailroom ->|
//   merged ones:   |<- kHeadroom ->| first | next | ... | last |<- kTailroom ->|   (UDP_GRO)
//
// Merged datagrams are views side by side in the buffer they came in: only the first has headroom,
// only the last has tailroom. A Packet is a view that is good until the next receive() of the same
// batch: whoever gets it sends it on at once (a full end drops and counts), so nothing is queued
// and nothing allocates.
//
// Owner: one worker. Thread: that worker's. Buffers are mapped once; only touched pages count, and
// trim() gives those back.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "proto/common/address.h"
#include "proto/common/cursor.h"
#include "proto/common/result.h"
#include "proto/runtime/net/limits.h"
#include "proto/runtime/net/send_batch.h"

namespace sluice {

/// One datagram inside a buffer that has room around it.
struct Packet {
  std::byte* data = nullptr;
  std::size_t size = 0;
  std::size_t headroom = 0;  ///< writable bytes before data
  std::size_t tailroom = 0;  ///< writable bytes behind data + size
  Endpoint from;             ///< sender
  Endpoint to;               ///< original destination or local address, when the socket reports it
  bool truncated = false;    ///< larger than kMaxDatagram; drop it
  std::optional<std::uint8_t> dscp;  ///< 0..63, when the socket reports it

  [[nodiscard]] ByteSpan bytes() const noexcept { return {data, size}; }
  /// Needs count <= headroom.
  ByteSpan push(std::size_t count) noexcept {
    data -= count;
    size += count;
    headroom -= count;
    return {data, count};
  }
  void drop_front(std::size_t count) noexcept {
    data += count;
    size -= count;
    headroom += count;
  }
  /// Needs count <= tailroom.
  ByteSpan extend(std::size_t count) noexcept {
    size += count;
    tailroom -= count;
    return {data + size - count, count};
  }
};

class DatagramBatch {
 public:
  DatagramBatch();
  DatagramBatch(const DatagramBatch&) = delete;
  DatagramBatch& operator=(const DatagramBatch&) = delete;
  ~DatagramBatch();

  /// Receives up to kDatagramBatch messages and returns the first up to kSendBatch datagrams; a
  /// socket that was not asked for merged ones has no more. Views are valid until the next call.
  /// Errors: again, system (an ICMP error that was queued on the socket: ask again).
  [[nodiscard]] Result<std::span<Packet>> receive(int fd) noexcept;
  /// What the last receive() brought and has not been returned yet, up to kSendBatch at once;
  /// empty: nothing. The views before stay valid, their Packets do not.
  [[nodiscard]] std::span<Packet> rest() noexcept;
  /// The last receive() used every buffer, so that the socket may hold more. Otherwise it was empty
  /// then: what comes later is a new edge.
  [[nodiscard]] bool filled() const noexcept;
  /// Gives touched pages back to the kernel.
  void trim() noexcept;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace sluice
