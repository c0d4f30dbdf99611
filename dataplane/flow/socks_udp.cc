#include "dataplane/flow/socks_udp.h"

#include <algorithm>
#include <array>
#include <utility>

#include "dataplane/protocol/socks/udp_head.h"
#include "proto/runtime/net/open.h"

namespace sluice::flow {

Result<std::unique_ptr<SocksUdp>> SocksUdp::open(Engine& engine, Request facts,
                                                 const IpAddress& local) {
  auto bound = bind_udp({local, 0});
  if (!bound) return fail(bound.error());
  auto fd = unless_scarce(std::move(*bound));
  if (!fd) return fail(fd.error());
  auto socket = Socket::adopt(engine.worker().loop(), std::move(*fd), Interest::reading);
  if (!socket) return fail(socket.error());
  return std::unique_ptr<SocksUdp>(new SocksUdp(engine, std::move(*socket), std::move(facts)));
}

SocksUdp::SocksUdp(Engine& engine, Socket socket, Request facts)
    : engine_(engine),
      port_(std::move(socket), engine.worker().datagrams(), *this),
      facts_(std::move(facts)),
      allowed_(facts_.source.ip) {
  facts_.network = Network::udp;
  facts_.source.port = 0;
  facts_.relay = port_.socket().local();
  port_.start();
}

SocksUdp::~SocksUdp() {
  engine_.nat().forget(*this,
                       {contract::CloseReason::client_closed, "the client ended its association"});
}

void SocksUdp::accept(Packet& packet) {
  if (packet.truncated || packet.from.ip != allowed_) return;
  const Endpoint from = packet.from;
  if (facts_.source.port != 0 && from.port != facts_.source.port) return;
  const auto address = socks::take_udp_head(packet);
  if (!address) return;
  const auto to = socks::to_destination(*address);
  if (!to) return;
  facts_.source.port = from.port;
  engine_.nat().forward(*this, facts_, *to, packet);
}

void SocksUdp::on_datagrams(std::span<Packet> packets) noexcept {
  for (Packet& packet : packets) accept(packet);
  engine_.nat().flush();
}

void SocksUdp::reply(const Endpoint& client, std::span<Packet> packets) noexcept {
  // One head serves a run of replies of one source; merged ones have no room of their own for it.
  std::array<std::array<std::byte, socks::kMaxEndpointHead>, kSendBatch> heads;
  ByteView head;
  while (!packets.empty()) {
    OutBatch out;
    Endpoint source;
    for (const Packet& packet : packets.first(std::min(packets.size(), kSendBatch))) {
      if (out.size() == 0 || packet.from != source) {
        source = packet.from;
        head = socks::write_udp_head(heads[out.size()], source);
      }
      out.add({packet.bytes(), client, {}, head});
    }
    engine_.nat().count_dropped(out.size() - port_.send(out.view()));
    packets = packets.subspan(out.size());
  }
}

}  // namespace sluice::flow
