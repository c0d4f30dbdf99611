// flow/tproxy_udp.h - one worker's socket for TPROXY'd datagrams, and the replies to their senders.
//
// Owner: the worker's listener set. Thread: its worker.
#pragma once

#include <memory>
#include <string>

#include "dataplane/flow/client_side.h"
#include "dataplane/flow/engine.h"
#include "dataplane/flow/nat.h"
#include "dataplane/flow/reply_sockets.h"
#include "dataplane/flow/unreachable_replies.h"
#include "dataplane/transport/datagram_port.h"

namespace sluice::flow {

class TproxyUdp final : public ClientSide, private transport::DatagramReceiver, private Timer {
 public:
  /// `fd`: transparent, with original destinations in control messages. Errors: system.
  static Result<std::unique_ptr<TproxyUdp>> make(Engine& engine, UniqueFd fd,
                                                 std::string inbound_name);
  ~TproxyUdp() override;

  bool admit(Request& request) override;
  void reply(const Endpoint& client, std::span<Packet> packets) noexcept override;
  void unreachable(const Endpoint& client, const Endpoint& to, Unreachable why) noexcept override {
    unreachable_.tell(client, to, why, engine_.worker().loop().now());
  }
  /// What waits in the socket goes to `successor`, which serves the same clients from now on.
  void hand_over(TproxyUdp& successor) noexcept { port_.drain_to(successor); }
  /// Datagrams bring their DSCP while some rule compares it: it costs each of them a control
  /// message.
  void report_dscp(bool on) noexcept;

 private:
  TproxyUdp(Engine& engine, Socket socket, std::string inbound_name);
  void on_datagrams(std::span<Packet> packets) noexcept override;
  /// Reply sockets that nobody used for a while are closed.
  void fire() noexcept override;

  Engine& engine_;
  transport::DatagramPort port_;
  Request facts_;  ///< what every datagram here has in common; the source changes per datagram
  ReplySockets replies_;
  UnreachableReplies unreachable_;
};

}  // namespace sluice::flow
