#include "dataplane/protocol/socks/packet_end.h"

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
  OutBatch out;
  std::size_t left = 0;
  for (transport::OutPacket& one : batch) {
    if (out.full()) {
      left += port_.send(out.view());
      out.clear();
    }
    if (push_udp_head(one.packet, *one.to)) out.add({one.packet.bytes(), {}, {}, {}});
  }
  return left + port_.send(out.view());
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
