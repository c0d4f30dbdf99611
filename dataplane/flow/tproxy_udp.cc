#include "dataplane/flow/tproxy_udp.h"

#include <algorithm>
#include <utility>

#include "dataplane/flow/acceptor.h"
#include "dataplane/flow/admission.h"
#include "dataplane/flow/limits.h"
#include "proto/common/error_text.h"
#include "proto/common/log.h"
#include "proto/runtime/net/open.h"

namespace sluice::flow {

Result<std::unique_ptr<TproxyUdp>> TproxyUdp::make(Engine& engine, UniqueFd fd,
                                                   std::string inbound_name) {
  auto socket = Socket::adopt(engine.worker().loop(), std::move(fd), Interest::reading);
  if (!socket) return fail(socket.error());
  return std::unique_ptr<TproxyUdp>(
      new TproxyUdp(engine, std::move(*socket), std::move(inbound_name)));
}

TproxyUdp::TproxyUdp(Engine& engine, Socket socket, std::string inbound_name)
    : engine_(engine),
      port_(std::move(socket), engine.worker().datagrams(), *this),
      replies_(engine.own_mark(),
               std::max(kLeastReplySockets, kReplySockets / engine.worker_count())),
      unreachable_(engine.own_mark()) {
  facts_.network = Network::udp;
  facts_.inbound_type = contract::InboundType::tproxy;
  facts_.inbound_name = std::move(inbound_name);
  facts_.inbound = port_.socket().local();
  report_dscp(engine_.needs().dscp);
  port_.start();
}

TproxyUdp::~TproxyUdp() {
  engine_.nat().forget(*this, {contract::CloseReason::outbound_removed, "its listener was closed"});
}

bool TproxyUdp::admit(Request& request) {
  const PinnedSnapshot snapshot = engine_.pin();
  return snapshot && flow::admit(*snapshot, snapshot->find_listener(facts_.inbound_name), request);
}

void TproxyUdp::report_dscp(bool on) noexcept {
  if (const Status set = ask_for_dscp(port_.socket().fd(), on); !set)
    SLUICE_LOG(warning, "nat", "%s: DSCP rules cannot match its datagrams: %s",
               facts_.inbound_name.c_str(), describe(set.error()).c_str());
}

void TproxyUdp::fire() noexcept {
  Loop& loop = engine_.worker().loop();
  replies_.close_unused(loop.now(), kReplySocketIdle);
  if (replies_.count() != 0) loop.arm(*this, loop.now() + kReplySocketIdle);
}

void TproxyUdp::on_datagrams(std::span<Packet> packets) noexcept {
  for (Packet& packet : packets) {
    // Without an original destination it was sent to the listener itself: nothing to serve.
    if (packet.truncated || !packet.to.ip.valid() || packet.to.port == 0) continue;
    facts_.source = packet.from;
    facts_.dscp = packet.dscp;
    Destination to;
    to.ip = packet.to.ip;
    to.port = packet.to.port;
    engine_.nat().forward(*this, facts_, to, packet);
  }
  engine_.nat().flush();
}

void TproxyUdp::reply(const Endpoint& client, std::span<Packet> packets) noexcept {
  Loop& loop = engine_.worker().loop();
  if (!armed()) loop.arm(*this, loop.now() + kReplySocketIdle);
  OutBatch out;
  while (!packets.empty()) {
    const Endpoint source = packets.front().from;
    out.clear();
    while (out.size() < packets.size() && !out.full() && packets[out.size()].from == source)
      out.add({packets[out.size()].bytes(), client, {}, {}});
    packets = packets.subspan(out.size());
    std::size_t left = 0;
    if (const auto socket = replies_.get(source, loop.now())) {
      left = send_batch((*socket)->fd.get(), out.view(), false, &(*socket)->segments);
    } else {
      SLUICE_LOG(debug, "nat", "client=%s step=reply from=%s: %s", client.to_string().c_str(),
                 source.to_string().c_str(), describe(socket.error()).c_str());
    }
    engine_.nat().count_dropped(out.size() - left);
  }
}

}  // namespace sluice::flow
