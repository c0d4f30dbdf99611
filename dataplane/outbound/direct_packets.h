// outbound/direct_packets.h - DIRECT for datagrams: one socket for all destinations of a client
// port.
//
// Endpoint-independent: the source port that the world sees never changes while the association
// lives, and whoever answers is passed on (full cone). Needs addresses, no names. A destination
// that answers by ICMP is reported and concerns nobody else.
#pragma once

#include <memory>

#include "dataplane/transport/datagram_port.h"
#include "dataplane/transport/packet_end.h"
#include "dataplane/worker/worker.h"
#include "proto/runtime/net/open.h"
#include "proto/runtime/net/socket.h"

namespace sluice::outbound {

class DirectPacketEnd final : public transport::PacketEnd, private transport::DatagramReceiver {
 public:
  /// Errors: no_descriptors, denied (mark without privilege), system.
  static Result<std::unique_ptr<transport::PacketEnd>> open(Worker& worker,
                                                            const DialOptions& options, bool ipv6);
  ~DirectPacketEnd() override;

  std::size_t send(std::span<transport::OutPacket> batch) noexcept override;
  void set_sink(transport::PacketSink* sink) noexcept override;
  [[nodiscard]] std::size_t mtu() const noexcept override { return kMaxDatagram; }
  [[nodiscard]] std::size_t headroom() const noexcept override { return 0; }
  [[nodiscard]] std::size_t tailroom() const noexcept override { return 0; }
  [[nodiscard]] bool takes_names() const noexcept override { return false; }
  [[nodiscard]] std::string describe() const override { return "direct"; }

 private:
  DirectPacketEnd(Worker& worker, Socket socket, bool dual_stack) noexcept
      : port_(std::move(socket), worker.datagrams(), *this), dual_stack_(dual_stack) {}
  void on_datagrams(std::span<Packet> packets) noexcept override { sink_->on_packets(packets); }
  void on_send_error(const SendError& error) noexcept override {
    sink_->on_unreachable(error.to, error.why);
  }

  transport::DatagramPort port_;
  bool dual_stack_;
  transport::PacketSink* sink_ = nullptr;
};

}  // namespace sluice::outbound
