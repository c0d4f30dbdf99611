// flow/socks_udp.h - one SOCKS5 UDP association on the server's side.
//
//   client ── UDP, with heads ── socket ── Nat ── sessions
//   client ── TCP ───────────── the association lives as long as this connection
//
// Only the TCP client's address may send; its first datagram fixes the port (B067).
// Owner: the coroutine that serves the TCP connection. Thread: its worker.
#pragma once

#include <memory>

#include "dataplane/flow/client_side.h"
#include "dataplane/flow/engine.h"
#include "dataplane/flow/nat.h"
#include "dataplane/transport/datagram_port.h"

namespace sluice::flow {

class SocksUdp final : public ClientSide, private transport::DatagramReceiver {
 public:
  /// `facts.source` is the TCP client; `local` the address it came in on. Errors: no_descriptors,
  /// system.
  static Result<std::unique_ptr<SocksUdp>> open(Engine& engine, Request facts,
                                                const IpAddress& local);
  ~SocksUdp();

  [[nodiscard]] Endpoint local() const noexcept { return port_.socket().local(); }
  void reply(const Endpoint& client, std::span<Packet> packets) noexcept override;

 private:
  SocksUdp(Engine& engine, Socket socket, Request facts);
  void on_datagrams(std::span<Packet> packets) noexcept override;
  void accept(Packet& packet);

  Engine& engine_;
  transport::DatagramPort port_;
  Request facts_;
  IpAddress allowed_;
};

}  // namespace sluice::flow
