#include "dataplane/protocol/shadowsocks/packet_end.h"

#include <algorithm>
#include <array>
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
  std::size_t taken = 0;
  while (taken < batch.size()) {
    const auto part = batch.subspan(taken, std::min(batch.size() - taken, kDatagramBatch));
    std::array<OutDatagram, kDatagramBatch> out;
    std::size_t count = 0;
    for (transport::OutPacket& one : part)
      if (cipher_.seal(one.packet, *one.to)) out[count++].bytes = one.packet.bytes();
    const std::size_t sent = port_.send(std::span(out).first(count));
    if (sent < count) return taken + sent;
    taken += part.size();
  }
  return taken;
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
