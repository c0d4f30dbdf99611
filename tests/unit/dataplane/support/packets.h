// support/packets.h - packets with room around them, and sinks that remember.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "dataplane/transport/packet_end.h"

namespace sluice::test {

/// A payload inside a buffer with headroom and tailroom, as a batch receive gives it.
class RoomyPacket {
 public:
  explicit RoomyPacket(ByteView payload, std::size_t headroom = 400, std::size_t tailroom = 64)
      : buffer_(headroom + payload.size() + tailroom) {
    std::ranges::copy(payload, buffer_.begin() + static_cast<std::ptrdiff_t>(headroom));
    packet.data = buffer_.data() + headroom;
    packet.size = payload.size();
    packet.headroom = headroom;
    packet.tailroom = tailroom;
  }
  Packet packet;

 private:
  std::vector<std::byte> buffer_;
};

class RememberingSink final : public transport::PacketSink {
 public:
  struct Got {
    std::string payload;
    Endpoint from;
  };
  void on_packets(std::span<Packet> packets) noexcept override {
    for (const Packet& packet : packets)
      got.push_back({std::string(as_text(packet.bytes())), packet.from});
  }
  void on_closed(Error reason) noexcept override { closed.push_back(reason.code); }
  std::vector<Got> got;
  std::vector<Errc> closed;
};

}  // namespace sluice::test
