#include "controlplane/dns/server/udp_port.h"

#include <span>
#include <utility>

#include "proto/runtime/net/socket.h"

namespace sluice::dns {
namespace {

static_assert(kUdpReplySize >= kMinReplyRoom);

class UdpReply final : public ReplyPath {
 public:
  UdpReply(std::weak_ptr<UdpPort> port, const Endpoint& to, const IpAddress& source)
      : port_(std::move(port)), to_(to), source_(source) {}
  void send(ByteView message) noexcept override {
    if (const auto port = port_.lock()) port->send(to_, source_, message);
  }

 private:
  std::weak_ptr<UdpPort> port_;
  Endpoint to_;
  IpAddress source_;
};

}  // namespace

Result<std::shared_ptr<UdpPort>> UdpPort::make(Loop& loop, UniqueFd fd, bool as_v6,
                                               Responder& responder, UdpScratch& scratch) {
  auto watch = Watch::make(loop, std::move(fd), Interest::reading);
  if (!watch) return fail(watch.error());
  std::shared_ptr<UdpPort> port(new UdpPort(std::move(*watch), as_v6, responder, scratch));
  port->watch_->set_sink(port.get());
  return port;
}

Endpoint UdpPort::local() const noexcept {
  return local_endpoint(watch_->fd());
}

void UdpPort::send(const Endpoint& to, const IpAddress& source, ByteView message) const noexcept {
  const OutDatagram out{message, to, source};
  (void)send_batch(watch_->fd(), std::span(&out, 1), as_v6_);
}

void UdpPort::serve() noexcept {
  std::size_t handled = 0;
  while (handled < kUdpBurst) {
    const auto packets = scratch_.batch.receive(watch_->fd());
    if (!packets) {
      // Anything but `again` is an ICMP error about an earlier reply: it says nothing about this
      // socket, and reading it has removed it.
      if (packets.error().code == Errc::again) return;
      ++handled;
      continue;
    }
    answer(*packets);
    handled += packets->size();
  }
  watch_->loop().requeue(*this);
}

void UdpPort::answer(std::span<Packet> packets) noexcept {
  std::array<OutDatagram, kDatagramBatch> out;
  std::size_t count = 0;
  for (const Packet& packet : packets) {
    if (packet.truncated || packet.from.port == 0) continue;
    std::array<std::byte, kUdpReplySize>& reply = scratch_.replies[count];
    const Responder::Now now =
        responder_.answer_now(packet.bytes(), packet.from, Transport::udp, reply);
    if (now.outcome == Responder::Outcome::answered) {
      out[count++] = {ByteView(reply).first(now.size), packet.from, packet.to.ip};
    } else if (now.outcome == Responder::Outcome::pending) {
      (void)responder_.answer_later(
          now.query, Transport::udp,
          std::make_shared<UdpReply>(weak_from_this(), packet.from, packet.to.ip));
    }
  }
  (void)send_batch(watch_->fd(), std::span(out).first(count), as_v6_);
}

}  // namespace sluice::dns
