// socks/packet_end.h - the client's end of a SOCKS5 association.
//
//   datagrams  <->  UDP socket, connected to the proxy's relay address
//   control    ---  TCP connection; when it ends, the association has ended (RFC 1928 section 7)
//
// Owner: the association's NAT entry. Thread: its worker.
#pragma once

#include <memory>
#include <string>

#include "dataplane/protocol/socks/udp_head.h"
#include "dataplane/transport/datagram_port.h"
#include "dataplane/transport/end.h"
#include "dataplane/transport/packet_end.h"

namespace sluice::socks {

class PacketEnd final : public transport::PacketEnd, private transport::DatagramReceiver {
 public:
  /// `socket` is connected to `relay`.
  PacketEnd(std::unique_ptr<transport::End> control, Socket socket, Endpoint relay,
            DatagramBatch& batch) noexcept;

  std::size_t send(std::span<transport::OutPacket> batch) noexcept override;
  void set_sink(transport::PacketSink* sink) noexcept override;
  [[nodiscard]] std::size_t mtu() const noexcept override { return kMaxDatagram - kMaxUdpHead; }
  [[nodiscard]] std::size_t headroom() const noexcept override { return kMaxUdpHead; }
  [[nodiscard]] std::size_t tailroom() const noexcept override { return 0; }
  [[nodiscard]] bool takes_names() const noexcept override { return true; }
  [[nodiscard]] std::string describe() const override { return relay_.to_string(); }

 private:
  /// Reads what the proxy says on the control connection, which means nothing until it ends.
  class Control final : public WatchSink, public Timer {
   public:
    Control(PacketEnd& owner, std::unique_ptr<transport::End> end) noexcept
        : owner_(owner), end_(std::move(end)) {}
    void start() noexcept;

   private:
    void on_ready() noexcept override { drain(); }
    void fire() noexcept override { drain(); }
    void drain() noexcept;
    PacketEnd& owner_;
    std::unique_ptr<transport::End> end_;
  };

  void on_datagrams(std::span<Packet> packets) noexcept override;

  Control control_;
  transport::DatagramPort port_;
  Endpoint relay_;
  transport::PacketSink* sink_ = nullptr;
};

}  // namespace sluice::socks
