#include "dataplane/protocol/socks/packet_end.h"

#include <algorithm>
#include <array>
#include <utility>

#include "dataplane/transport/limits.h"

namespace sluice::socks {
namespace {

/// Reads of one wake-up before other work gets its turn: a proxy may flood this connection.
constexpr unsigned kReadsPerTurn = 4;

}  // namespace

PacketEnd::PacketEnd(std::unique_ptr<transport::End> control, Socket socket, Endpoint relay,
                     DatagramBatch& batch) noexcept
    : control_(*this, std::move(control)), port_(std::move(socket), batch, *this), relay_(relay) {}

void PacketEnd::set_sink(transport::PacketSink* sink) noexcept {
  sink_ = sink;
  port_.start();
  control_.start();
}

std::size_t PacketEnd::send(std::span<transport::OutPacket> batch) noexcept {
  std::size_t taken = 0;
  while (taken < batch.size()) {
    const auto part = batch.subspan(taken, std::min(batch.size() - taken, kDatagramBatch));
    std::array<OutDatagram, kDatagramBatch> out;
    std::size_t count = 0;
    for (transport::OutPacket& one : part)
      if (push_udp_head(one.packet, *one.to)) out[count++].bytes = one.packet.bytes();
    const std::size_t sent = port_.send(std::span(out).first(count));
    if (sent < count) return taken + sent;
    taken += part.size();
  }
  return taken;
}

void PacketEnd::on_datagrams(std::span<Packet> packets) noexcept {
  std::size_t count = 0;
  for (Packet& packet : packets) {
    const auto source = take_udp_head(packet);
    if (!source) continue;
    packet.from = to_endpoint(*source);
    packets[count++] = packet;
  }
  if (count != 0) sink_->on_packets(packets.first(count));
}

void PacketEnd::Control::start() noexcept {
  end_->set_sink(this);
  end_->loop().arm(*this, end_->loop().now());  // it may have ended already
}

void PacketEnd::Control::drain() noexcept {
  for (unsigned reads = 0; reads < kReadsPerTurn; ++reads) {
    SliceQueue discarded;
    const auto size = end_->read(discarded, transport::kReadBudget);
    if (size) continue;
    if (size.error().code == Errc::again) return;
    if (size.error().code == Errc::no_room) {
      end_->loop().arm(*this, end_->loop().now() + transport::kPoolRetry);
      return;
    }
    disarm();
    end_->set_sink(nullptr);
    owner_.sink_->on_closed(size.error());  // may destroy the owner
    return;
  }
  end_->loop().arm(*this, end_->loop().now());
}

}  // namespace sluice::socks
