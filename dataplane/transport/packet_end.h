// transport/packet_end.h - where a NAT entry's datagrams go: a socket, a proxy's relay, a stream.
//
// Packets are views into the worker's batch buffers with headroom and tailroom around them, so that
// a protocol prepends its head and appends its tag in place. They are gone when send() returns.
// A full end drops and counts; it never blocks and never queues more than it says.
//
// Owner: the association. Thread: its worker.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "proto/common/name.h"
#include "proto/common/result.h"
#include "proto/runtime/loop/frame_pool.h"
#include "proto/runtime/net/datagram_batch.h"
#include "proto/runtime/net/error_queue.h"

namespace sluice::transport {

/// One datagram to a destination. Proxies get the name when `to.name` is known; a plain socket
/// needs `to.ip`.
struct OutPacket {
  Packet packet;
  const Destination* to = nullptr;
};

/// Gets datagrams that arrive. Views are valid during the call.
class PacketSink {
 public:
  /// `packet.from` is the real source as the far side reports it; its ip is invalid when that is a
  /// name. Must not destroy the end.
  virtual void on_packets(std::span<Packet> packets) noexcept = 0;
  /// What was sent to `to` did not arrive, as far as an ICMP message can be believed.
  virtual void on_unreachable(const Endpoint&, Unreachable) noexcept {}
  /// The end is dead (the proxy's control connection ended, a stream closed). Called once;
  /// may destroy the end.
  virtual void on_closed(Error reason) noexcept = 0;

 protected:
  ~PacketSink() = default;
};

class PacketEnd : public frame_pool::Pooled {
 public:
  PacketEnd() noexcept = default;
  PacketEnd(const PacketEnd&) = delete;
  PacketEnd& operator=(const PacketEnd&) = delete;
  virtual ~PacketEnd() = default;

  /// Sends the batch; returns how many were taken, the rest is gone and the caller counts it. Needs
  /// at least headroom() and tailroom() around each packet.
  virtual std::size_t send(std::span<OutPacket> batch) noexcept = 0;
  /// Where arriving datagrams go; set once before the first send.
  virtual void set_sink(PacketSink* sink) noexcept = 0;
  /// Largest payload of one datagram.
  [[nodiscard]] virtual std::size_t mtu() const noexcept = 0;
  [[nodiscard]] virtual std::size_t headroom() const noexcept = 0;
  [[nodiscard]] virtual std::size_t tailroom() const noexcept = 0;
  /// Names can be sent as they are; otherwise OutPacket::to must hold an address.
  [[nodiscard]] virtual bool takes_names() const noexcept = 0;
  /// Address or name of the far side, for display.
  [[nodiscard]] virtual std::string describe() const = 0;
};

}  // namespace sluice::transport
