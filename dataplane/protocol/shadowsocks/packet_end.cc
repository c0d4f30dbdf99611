#include "dataplane/protocol/shadowsocks/packet_end.h"

#include <utility>

namespace sluice::shadowsocks {

Result<std::unique_ptr<PacketEnd>> PacketEnd::make(const Key& key, Socket socket, Endpoint server,
                                                   DatagramBatch& batch) noexcept {
  auto cipher = DatagramCipher::make(key);
  if (!cipher) return fail(cipher.error());
  return std::unique_ptr<PacketEnd>(
      new PacketEnd(std::move(*cipher), std::move(socket), server, batch));
}

void PacketEnd::set_sink(transport::PacketSink* sink) noexcept {
  sink_ = sink;
  port_.start();
}

std::size_t PacketEnd::send(std::span<transport::OutPacket> batch) noexcept {
  OutBatch out;
  std::size_t left = 0;
  for (transport::OutPacket& one : batch) {
    if (out.full()) {
      left += port_.send(out.view());
      out.clear();
    }
    if (cipher_.seal(one.packet, *one.to)) out.add({one.packet.bytes(), {}, {}, {}});
  }
  return left + port_.send(out.view());
}

void PacketEnd::on_datagrams(std::span<Packet> packets) noexcept {
  std::size_t count = 0;
  for (Packet& packet : packets) {
    const auto source = cipher_.open(packet);
    if (!source) continue;
    packet.from = socks::to_endpoint(*source);
    packets[count++] = packet;
  }
  if (count != 0) sink_->on_packets(packets.first(count));
}

}  // namespace sluice::shadowsocks
