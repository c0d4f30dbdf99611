#include "proto/runtime/net/packet_room.h"

#include <cstring>

#include "proto/runtime/buffer/limits.h"

namespace sluice {
namespace {

/// A batch of datagrams that each fill an Ethernet frame, and the largest one alone.
constexpr std::size_t kRoomBytes = 2 * kSendBatch * (kHeadroom + kSegmentBytes + kTailroom);
static_assert(kRoomBytes >= kHeadroom + kMaxDatagram + kTailroom);

}  // namespace

bool PacketRoom::ensure(Packet& packet, std::size_t headroom, std::size_t tailroom) {
  if (packet.headroom >= headroom && packet.tailroom >= tailroom) return true;
  const std::size_t size = headroom + packet.size + tailroom;
  if (kRoomBytes - used_ < size) return false;
  if (memory_ == nullptr) memory_ = std::make_unique_for_overwrite<std::byte[]>(kRoomBytes);
  std::byte* const data = memory_.get() + used_ + headroom;
  if (packet.size != 0) std::memcpy(data, packet.data, packet.size);
  used_ += size;
  packet.data = data;
  packet.headroom = headroom;
  packet.tailroom = tailroom;
  return true;
}

}  // namespace sluice
