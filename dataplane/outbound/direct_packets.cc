#include "dataplane/outbound/direct_packets.h"

#include <array>
#include <utility>

namespace sluice::outbound {

Result<std::unique_ptr<transport::PacketEnd>> DirectPacketEnd::open(Worker& worker,
                                                                    const DialOptions& options,
                                                                    bool ipv6) {
  bool dual_stack = ipv6;
  auto fd = open_udp(dual_stack ? Family::none : Family::v4, options);
  if (!fd && dual_stack && fd.error().code == Errc::system) {
    // A kernel without IPv6.
    dual_stack = false;
    fd = open_udp(Family::v4, options);
  }
  if (!fd) return fail(fd.error());
  auto socket = Socket::adopt(worker.loop(), std::move(*fd));
  if (!socket) return fail(socket.error());
  return std::unique_ptr<transport::PacketEnd>(
      new DirectPacketEnd(worker, std::move(*socket), dual_stack));
}

DirectPacketEnd::~DirectPacketEnd() = default;

std::size_t DirectPacketEnd::send(std::span<transport::OutPacket> batch) noexcept {
  std::array<OutDatagram, kDatagramBatch> out;
  std::size_t done = 0;
  while (done < batch.size()) {
    const std::size_t count = std::min(batch.size() - done, out.size());
    for (std::size_t i = 0; i < count; ++i) {
      const transport::OutPacket& p = batch[done + i];
      out[i] = {p.packet.bytes(), Endpoint{p.to->ip, p.to->port}, {}};
    }
    const std::size_t sent = port_.send(std::span(out).first(count), dual_stack_);
    done += sent;
    if (sent < count) break;
  }
  return done;
}

void DirectPacketEnd::set_sink(transport::PacketSink* sink) noexcept {
  sink_ = sink;
  port_.start();
}

}  // namespace sluice::outbound
