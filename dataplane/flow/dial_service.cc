#include "dataplane/flow/dial_service.h"

#include <sys/socket.h>

#include <cerrno>
#include <utility>

#include "dataplane/flow/client_side.h"
#include "dataplane/flow/close_cause.h"
#include "dataplane/flow/limits.h"
#include "dataplane/flow/nat.h"
#include "dataplane/flow/open_flow.h"
#include "dataplane/protocol/framed/packet_end.h"
#include "dataplane/protocol/socks/server.h"
#include "dataplane/transport/socket_end.h"
#include "proto/common/log.h"

namespace sluice::flow {
namespace {

constexpr std::string_view kInboundName = "dial";

/// Datagrams of one client of dial.sock.
class FramedClient final : public ClientSide, private framed::FrameSink {
 public:
  FramedClient(Engine& engine, Request facts, std::unique_ptr<transport::End> end, SliceQueue in)
      : engine_(engine),
        facts_(std::move(facts)),
        stream_(std::move(end), std::move(in)),
        closed_(engine.worker().loop()) {
    facts_.network = Network::udp;
    stream_.set_frame_sink(this);
  }
  ~FramedClient() {
    engine_.nat().forget(*this,
                         {contract::CloseReason::client_closed, "the client closed its stream"});
  }
  FramedClient(const FramedClient&) = delete;
  FramedClient& operator=(const FramedClient&) = delete;

  Event& closed() noexcept { return closed_; }

  void reply(const Endpoint&, std::span<Packet> packets) noexcept override {
    for (Packet& packet : packets) {
      Destination source;
      source.ip = packet.from.ip;
      source.port = packet.from.port;
      (void)room_.ensure(packet, stream_.headroom(), stream_.tailroom());
      transport::OutPacket out{packet, &source};
      engine_.nat().count_dropped(1 - stream_.send(std::span(&out, 1)));
      room_.reset();
    }
    room_.release();
  }

 private:
  void on_frame(const socks::Address& address, Packet& packet) noexcept override {
    const auto to = socks::to_destination(address);
    if (!to) return;
    engine_.nat().forward(*this, facts_, *to, packet);
    engine_.nat().flush();
  }
  void on_closed(Error) noexcept override { closed_.set(); }

  Engine& engine_;
  Request facts_;
  framed::PacketEnd stream_;
  PacketRoom room_;  ///< for merged replies
  Event closed_;
};

Task<Step> serve_frames(Engine& engine, std::unique_ptr<transport::End> end, SliceQueue in,
                        Request request) {
  FramedClient client(engine, std::move(request), std::move(end), std::move(in));
  co_await client.closed().wait(Moment::never());
  co_return Step{};
}

Task<Step> serve_stream(Engine& engine, std::unique_ptr<transport::End> end, SliceQueue in,
                        Request request) {
  auto flow = std::make_unique<Flow>(engine.flows(), request);
  Result<outbound::Stream> upstream = co_await open_flow(engine, request, *flow, nullptr);
  const Error outcome = upstream ? Error{} : upstream.error();
  const Until reply_by(engine.worker().after(kReplyTimeout), flow->scope);
  const Status sent =
      co_await socks::send_reply(*end, socks::Version::socks5, outcome, Endpoint{}, reply_by);
  Step step;
  if (!sent) close_untold(*flow, sent.error());
  if (!upstream || !sent) co_return std::move(step);
  if (!in.empty()) end->unread(std::move(in));
  step.next = run_relay(engine, std::move(end), std::move(*upstream), std::move(flow));
  co_return std::move(step);
}

Task<Step> serve_dial(Engine& engine, UniqueFd fd) {
  Step step;
  auto socket = Socket::adopt(engine.worker().loop(), std::move(fd));
  if (!socket) co_return std::move(step);
  std::unique_ptr<transport::End> end =
      std::make_unique<transport::SocketEnd>(std::move(*socket), engine.worker().slices());
  socks::ServerOptions options;
  options.any_user = true;
  options.udp = false;
  options.framed = true;
  options.closed = !engine.pin();
  SliceQueue in;
  const Until until = engine.worker().after(kReplyTimeout);
  Result<socks::ServerRequest> wish = co_await socks::accept_socks(*end, in, options, until);
  if (!wish) co_return std::move(step);
  bool known = wish->user.empty();  // by the rules
  if (const PinnedSnapshot snapshot = engine.pin(); !known && snapshot)
    known = snapshot->find_outbound(wish->user).has_value();
  const Error unknown = known ? Error{} : Error{Errc::denied};
  if (!known || wish->command == socks::Command::framed_datagrams) {
    const Status sent = co_await socks::send_reply(*end, wish->version, unknown, Endpoint{}, until);
    if (!known || !sent) co_return std::move(step);
  }
  Request request;
  request.inbound_type = contract::InboundType::inner;
  request.inbound_name = kInboundName;
  request.source.ip = IpAddress::v4(0x7f000001);
  request.destination = std::move(wish->to);
  request.outbound = std::move(wish->user);
  if (wish->command == socks::Command::framed_datagrams) {
    step.next = serve_frames(engine, std::move(end), std::move(in), std::move(request));
  } else {
    step.next = serve_stream(engine, std::move(end), std::move(in), std::move(request));
  }
  co_return std::move(step);
}

}  // namespace

Result<std::unique_ptr<DialService>> DialService::make(Engine& engine, UniqueFd listener,
                                                       uid_t allowed) {
  auto socket = Socket::adopt(engine.worker().loop(), std::move(listener));
  if (!socket) return fail(socket.error());
  std::unique_ptr<DialService> service(new DialService(engine, std::move(*socket), allowed));
  service->socket_.watch().set_sink(service.get());
  return service;
}

void DialService::accept_some() noexcept {
  for (int i = 0; i < kAcceptsPerTurn; ++i) {
    UniqueFd client(::accept4(socket_.fd(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (!client.valid()) {
      if (errno == EAGAIN) {
        socket_.watch().clear_readable();
        return;
      }
      if (errno == ECONNABORTED || errno == EINTR) continue;
      // No descriptors or memory: clients wait in the backlog meanwhile.
      engine_.worker().loop().arm(*this, engine_.worker().after(kAcceptRetry));
      return;
    }
    ucred peer{};
    socklen_t size = sizeof peer;
    if (::getsockopt(client.get(), SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0 ||
        peer.uid != allowed_) {
      SLUICE_LOG(warning, "dial", "refused uid %d: only uid %d may use dial.sock",
                 static_cast<int>(peer.uid), static_cast<int>(allowed_));
      continue;
    }
    engine_.worker().loop().spawn(run_steps(serve_dial(engine_, std::move(client))));
  }
  engine_.worker().loop().requeue(*this);
}

}  // namespace sluice::flow
