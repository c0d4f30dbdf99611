// transport/datagram_port.h - a UDP socket of a packet end: batches in, batches out.
//
// Reads into the worker's shared batch, so what arrives is handed on at once. A wake-up takes a few
// batches; what is left waits for the loop's next turn. Datagrams may arrive merged and leave as
// segments: their boundaries and order stay.
//
// Owner: a PacketEnd. Thread: its worker.
#pragma once

#include <cstddef>
#include <span>

#include "proto/runtime/loop/ready.h"
#include "proto/runtime/net/datagram_batch.h"
#include "proto/runtime/net/error_queue.h"
#include "proto/runtime/net/open.h"
#include "proto/runtime/net/socket.h"

namespace sluice::transport {

/// Gets what a port received. Views are valid during the call; it must not destroy the port.
class DatagramReceiver {
 public:
  virtual void on_datagrams(std::span<Packet> packets) noexcept = 0;
  /// A datagram that left did not arrive. Only of ports that report errors.
  virtual void on_send_error(const SendError&) noexcept {}

 protected:
  ~DatagramReceiver() = default;
};

class DatagramPort final : private WatchSink, private Ready {
 public:
  /// `socket` is a UDP socket, connected or not. Receiving starts with start().
  DatagramPort(Socket socket, DatagramBatch& batch, DatagramReceiver& receiver) noexcept
      : socket_(std::move(socket)), batch_(batch), receiver_(receiver) {}

  /// What is already there arrives in the loop's next turn, never inside this call.
  void start() noexcept;
  /// ICMP errors about what was sent go to the receiver from now on. The socket is not connected.
  /// Where the kernel cannot, there are none.
  void report_errors() noexcept { reports_errors_ = ask_for_errors(socket_.fd()).has_value(); }
  /// For a port that is about to die: what waits in its socket goes to `other` now, as much as a
  /// socket buffer holds.
  void drain_to(DatagramReceiver& other) noexcept;
  /// Returns how many left. `as_v6`: the socket is dual-stack.
  std::size_t send(std::span<const OutDatagram> batch, bool as_v6 = false) noexcept {
    return send_batch(socket_.fd(), batch, as_v6, &segments_);
  }
  [[nodiscard]] const Socket& socket() const noexcept { return socket_; }

 private:
  void on_ready() noexcept override {
    if (socket_.watch().take_error() && reports_errors_) receive_errors();
    receive();
  }
  void run() noexcept override { receive(); }
  void receive() noexcept;
  void receive_errors() noexcept;
  /// One batch. False when the socket is empty.
  bool receive_batch(DatagramReceiver& receiver) noexcept;

  Socket socket_;
  DatagramBatch& batch_;
  DatagramReceiver& receiver_;
  SegmentLimit segments_;
  bool reports_errors_ = false;
};

/// A UDP socket that talks to `to` alone: the kernel drops what others send.
/// Errors: unreachable, no_descriptors, system.
[[nodiscard]] Result<Socket> connect_udp(Loop& loop, const Endpoint& to,
                                         const DialOptions& options);

}  // namespace sluice::transport
