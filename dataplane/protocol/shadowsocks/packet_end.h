// shadowsocks/packet_end.h - datagrams through a Shadowsocks server: one UDP socket, no control.
//
// Owner: the association's NAT entry. Thread: its worker.
#pragma once

#include <memory>
#include <string>

#include "dataplane/protocol/shadowsocks/datagram.h"
#include "dataplane/transport/datagram_port.h"
#include "dataplane/transport/packet_end.h"

namespace sluice::shadowsocks {

class PacketEnd final : public transport::PacketEnd, private transport::DatagramReceiver {
 public:
  /// `socket` is connected to `server`; `key` must outlive the end. Errors: system.
  static Result<std::unique_ptr<PacketEnd>> make(const Key& key, Socket socket, Endpoint server,
                                                 DatagramBatch& batch) noexcept;

  std::size_t send(std::span<transport::OutPacket> batch) noexcept override;
  void set_sink(transport::PacketSink* sink) noexcept override;
  [[nodiscard]] std::size_t mtu() const noexcept override {
    return kMaxDatagram - kMaxDatagramHead - kDatagramTail;
  }
  [[nodiscard]] std::size_t headroom() const noexcept override { return kMaxDatagramHead; }
  [[nodiscard]] std::size_t tailroom() const noexcept override { return kDatagramTail; }
  [[nodiscard]] bool takes_names() const noexcept override { return true; }
  [[nodiscard]] std::string describe() const override { return server_.to_string(); }

 private:
  PacketEnd(DatagramCipher cipher, Socket socket, Endpoint server, DatagramBatch& batch) noexcept
      : cipher_(std::move(cipher)), port_(std::move(socket), batch, *this), server_(server) {}
  void on_datagrams(std::span<Packet> packets) noexcept override;

  DatagramCipher cipher_;
  transport::DatagramPort port_;
  Endpoint server_;
  transport::PacketSink* sink_ = nullptr;
};

}  // namespace sluice::shadowsocks
