// framed/packet_end.h - a packet end over a stream.
//
// What the stream does not take waits in its out-queue, up to transport::kOutMark; above it the end
// is full and drops, as every packet end does.
//
//   client side (towards a relay): sends to Destinations, gets packets whose `from` is the source
//   server side (dial.sock):       sends with the source as address, gets frames for destinations
//
// A destination may be a name, which a PacketSink cannot carry: the server side sets a FrameSink.
//
// Owner: the association. Thread: its worker.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "dataplane/protocol/framed/frame.h"
#include "dataplane/transport/end.h"
#include "dataplane/transport/packet_end.h"

namespace sluice::framed {

/// Gets frames instead of packets. Must not destroy the end, except in on_closed().
class FrameSink {
 public:
  /// The views are valid during the call.
  virtual void on_frame(const socks::Address& address, Packet& packet) noexcept = 0;
  virtual void on_closed(Error reason) noexcept = 0;

 protected:
  ~FrameSink() = default;
};

class PacketEnd final : public transport::PacketEnd, private WatchSink, private Timer {
 public:
  /// `received`: bytes that were read from `end` behind the handshake.
  PacketEnd(std::unique_ptr<transport::End> end, SliceQueue received) noexcept
      : end_(std::move(end)), in_(std::move(received)) {}

  std::size_t send(std::span<transport::OutPacket> batch) noexcept override;
  void set_sink(transport::PacketSink* sink) noexcept override;
  /// In place of set_sink().
  void set_frame_sink(FrameSink* sink) noexcept;
  [[nodiscard]] std::size_t mtu() const noexcept override { return kMaxFramePayload; }
  [[nodiscard]] std::size_t headroom() const noexcept override { return kMaxFrameHead; }
  [[nodiscard]] std::size_t tailroom() const noexcept override { return 0; }
  [[nodiscard]] bool takes_names() const noexcept override { return true; }
  [[nodiscard]] std::string describe() const override { return "stream"; }
  /// Datagrams that were dropped because the stream was full, or made no sense.
  [[nodiscard]] std::uint64_t dropped() const noexcept { return full_ + reader_.dropped(); }

 private:
  void on_ready() noexcept override { step(); }
  void fire() noexcept override { step(); }
  void start() noexcept;
  void later(Millis span) noexcept { end_->loop().arm(*this, end_->loop().now() + span); }
  void step() noexcept;
  void receive() noexcept;
  bool deliver() noexcept;
  void close(Error reason) noexcept;
  static bool add_frame(ByteView frame, Slice& current, SliceQueue& out,
                        transport::End& end) noexcept;

  std::unique_ptr<transport::End> end_;
  SliceQueue in_;
  FrameReader reader_;
  std::uint64_t full_ = 0;
  transport::PacketSink* sink_ = nullptr;
  FrameSink* frame_sink_ = nullptr;
};

}  // namespace sluice::framed
