#include "dataplane/outbound/direct_packets.h"

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
  auto socket = Socket::adopt(worker.loop(), std::move(*fd), Interest::reading);
  if (!socket) return fail(socket.error());
  return std::unique_ptr<transport::PacketEnd>(
      new DirectPacketEnd(worker, std::move(*socket), dual_stack));
}

DirectPacketEnd::~DirectPacketEnd() = default;

std::size_t DirectPacketEnd::send(std::span<transport::OutPacket> batch) noexcept {
  OutBatch out;
  std::size_t left = 0;
  for (const transport::OutPacket& one : batch) {
    if (out.full()) {
      left += port_.send(out.view(), dual_stack_);
      out.clear();
    }
    out.add({one.packet.bytes(), Endpoint{one.to->ip, one.to->port}, {}, {}});
  }
  return left + port_.send(out.view(), dual_stack_);
}

void DirectPacketEnd::set_sink(transport::PacketSink* sink) noexcept {
  sink_ = sink;
  port_.report_errors();
  port_.start();
}

}  // namespace sluice::outbound
