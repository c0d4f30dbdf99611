#include "dataplane/flow/tproxy_udp.h"

#include <algorithm>
#include <array>
#include <utility>

#include "dataplane/flow/acceptor.h"
#include "dataplane/flow/admission.h"
#include "proto/common/error_text.h"
#include "proto/common/log.h"
#include "proto/runtime/net/open.h"

namespace sluice::flow {

Result<std::unique_ptr<TproxyUdp>> TproxyUdp::make(Engine& engine, UniqueFd fd,
                                                   std::string inbound_name) {
  auto socket = Socket::adopt(engine.worker().loop(), std::move(fd));
  if (!socket) return fail(socket.error());
  return std::unique_ptr<TproxyUdp>(
      new TproxyUdp(engine, std::move(*socket), std::move(inbound_name)));
}

TproxyUdp::TproxyUdp(Engine& engine, Socket socket, std::string inbound_name)
    : engine_(engine),
      port_(std::move(socket), engine.worker().datagrams(), *this),
      replies_(engine.own_mark()) {
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
  std::array<OutDatagram, kDatagramBatch> out;
  while (!packets.empty()) {
    const Endpoint source = packets.front().from;
    const auto fd = replies_.get(source);
    std::size_t count = 0;
    while (count < packets.size() && count < out.size() && packets[count].from == source) {
      out[count] = {packets[count].bytes(), client, {}};
      ++count;
    }
    if (fd) {
      send_batch(*fd, std::span(out).first(count), false);
    } else {
      SLUICE_LOG(debug, "nat", "client=%s step=reply from=%s: %s", client.to_string().c_str(),
                 source.to_string().c_str(), describe(fd.error()).c_str());
    }
    packets = packets.subspan(count);
  }
}

}  // namespace sluice::flow
