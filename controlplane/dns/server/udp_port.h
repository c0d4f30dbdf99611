// dns/server/udp_port.h - one UDP socket that clients ask: batches in, batches out.
//
// Replies leave from the address the query came to (IP_PKTINFO), or clients of a router with
// several addresses would not take them. Owner: Listeners. Thread: the DNS loop's.
#pragma once

#include <array>
#include <cstddef>
#include <memory>

#include "controlplane/dns/bounds.h"
#include "controlplane/dns/server/responder.h"
#include "proto/common/unique_fd.h"
#include "proto/runtime/loop/ready.h"
#include "proto/runtime/loop/watch.h"
#include "proto/runtime/net/datagram_batch.h"

namespace sluice::dns {

/// Buffers of one batch, shared by all ports of a loop: they are used within one call only.
struct UdpScratch {
  DatagramBatch batch;
  std::array<std::array<std::byte, kUdpReplySize>, kDatagramBatch> replies;
};

class UdpPort final : public WatchSink,
                      private Ready,
                      public std::enable_shared_from_this<UdpPort> {
 public:
  /// `as_v6`: the socket is dual-stack. Errors: system.
  static Result<std::shared_ptr<UdpPort>> make(Loop& loop, UniqueFd fd, bool as_v6,
                                               Responder& responder, UdpScratch& scratch);
  ~UdpPort() override = default;

  [[nodiscard]] Endpoint local() const noexcept;
  /// One late reply; dropped when the kernel has no room.
  void send(const Endpoint& to, const IpAddress& source, ByteView message) const noexcept;

 private:
  UdpPort(std::unique_ptr<Watch> watch, bool as_v6, Responder& responder, UdpScratch& scratch)
      : watch_(std::move(watch)), as_v6_(as_v6), responder_(responder), scratch_(scratch) {}
  void on_ready() noexcept override { serve(); }
  void run() noexcept override { serve(); }
  void serve() noexcept;
  /// Answers a batch; what has to wait is handed on.
  void answer(std::span<Packet> packets) noexcept;

  std::unique_ptr<Watch> watch_;
  bool as_v6_;
  Responder& responder_;
  UdpScratch& scratch_;
};

}  // namespace sluice::dns
