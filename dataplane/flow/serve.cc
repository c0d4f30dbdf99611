#include "dataplane/flow/serve.h"

#include <utility>

#include "dataplane/flow/admission.h"
#include "dataplane/flow/limits.h"
#include "dataplane/flow/open_flow.h"
#include "dataplane/flow/serve_asked.h"
#include "dataplane/flow/serve_http.h"
#include "dataplane/flow/socks_udp.h"
#include "dataplane/flow/stream_start.h"
#include "dataplane/protocol/socks/server.h"
#include "dataplane/transport/socket_end.h"
#include "proto/common/error_text.h"
#include "proto/common/log.h"
#include "proto/runtime/net/open.h"

namespace sluice::flow {
namespace {

using contract::InboundType;
using contract::ListenerKind;

socks::ServerOptions socks_options(const contract::Listener& listener,
                                   const IpAddress& source) noexcept {
  socks::ServerOptions options;
  if (!holds(listener.skip_auth, source)) options.credentials = Credentials(listener.users);
  options.udp = listener.udp;
  return options;
}

using ClientEnd = std::unique_ptr<transport::End>;

/// Waits until the client's control connection ends; what it says meanwhile means nothing.
Task<void> until_closed(transport::End& end) {
  for (;;) {
    SliceQueue ignored;
    const Status more = co_await transport::fill(end, ignored, Moment::never());
    if (!more) co_return;
    // One who floods it must not hold the worker.
    co_await sleep_until(end.loop(), end.loop().now() + kChatterPause);
  }
}

Task<Step> serve_associate(Engine& engine, ClientEnd client, Request request,
                           socks::Version version, Until until) {
  if (const PinnedSnapshot snapshot = engine.pin())
    client->keep_alive(outbound::keep_alive_of(snapshot->manifest().limits));
  const IpAddress local = client->local().ip;
  auto association = SocksUdp::open(engine, std::move(request), local);
  const Error outcome = association ? Error{} : association.error();
  const Endpoint bound = association ? (*association)->local() : Endpoint{};
  const Status sent = co_await socks::send_reply(*client, version, outcome, bound, until);
  if (association && sent) co_await until_closed(*client);
  co_return Step{};
}

class SocksReplier final : public Replier {
 public:
  explicit SocksReplier(socks::Version version) noexcept : version_(version) {}
  Task<Status> reply(transport::End& client, const Flow& flow, Error outcome, Until by) override {
    return socks::send_reply(client, version_, outcome, flow.info.inbound, by);
  }

 private:
  socks::Version version_;
};

/// `snapshot` pins `listener`; it is let go of as soon as the request is known, since the flow may
/// last for days.
Task<Step> serve_socks(Engine& engine, ClientEnd client, SliceQueue in, Request request,
                       PinnedSnapshot snapshot, const contract::Listener& listener, Until until) {
  const socks::ServerOptions options = socks_options(listener, request.source.ip);
  Result<socks::ServerRequest> wish = co_await socks::accept_socks(*client, in, options, until);
  snapshot.reset();
  Step step;
  if (!wish) {
    SLUICE_LOG(debug, "socks", "client=%s: %s", request.source.to_string().c_str(),
               describe(wish.error()).c_str());
    co_return std::move(step);
  }
  const bool v4 = wish->version == socks::Version::socks4;
  request.inbound_type = v4 ? InboundType::socks4 : InboundType::socks5;
  request.user = std::move(wish->user);
  if (wish->command == socks::Command::udp_associate) {
    step.next =
        serve_associate(engine, std::move(client), std::move(request), wish->version, until);
    co_return std::move(step);
  }
  request.destination = std::move(wish->to);
  step.next = serve_asked(engine, std::move(client), std::move(in), std::move(request),
                          std::make_unique<SocksReplier>(wish->version));
  co_return std::move(step);
}

/// A client of a SOCKS, HTTP or mixed listener.
Task<Step> serve_proxy(Engine& engine, ClientEnd client, Request request, PinnedSnapshot snapshot,
                       const contract::Listener& listener) {
  const Until until = engine.worker().after(snapshot->manifest().limits.handshake);
  SliceQueue in;
  const Status first = co_await transport::fill(*client, in, until);
  Step step;
  if (!first) co_return std::move(step);
  const auto version = std::to_integer<unsigned>(in.front()[0]);
  const bool socks = version == 4 || version == 5;
  if (socks && listener.kind != ListenerKind::http) {
    step.next = serve_socks(engine, std::move(client), std::move(in), std::move(request),
                            std::move(snapshot), listener, until);
  } else if (!socks && listener.kind != ListenerKind::socks) {
    const bool skip = holds(listener.skip_auth, request.source.ip);
    std::vector<contract::User> users = skip ? std::vector<contract::User>() : listener.users;
    snapshot.reset();
    step.next = serve_http_client(engine, std::move(client), std::move(in), std::move(request),
                                  std::move(users));
  }
  co_return std::move(step);
}

/// A captured client: its target is where its packets were going.
Task<Step> serve_captured(Engine& engine, ClientEnd client, Request request) {
  auto flow = std::make_unique<Flow>(engine.flows(), request);
  StreamStart start(engine, *client, {}, request.destination, nullptr);
  Result<outbound::Stream> upstream = co_await open_flow(engine, request, *flow, &start);
  Step step;
  if (upstream) {
    start.give_back();
    step.next = run_relay(engine, std::move(client), std::move(*upstream), std::move(flow));
  } else {
    // The client believes it talks to its destination: a reset is what a refusal looks like there.
    client->abort();
  }
  co_return std::move(step);
}

Result<Endpoint> captured_destination(const Socket& socket, ListenerKind kind) {
  if (kind == ListenerKind::tproxy) return socket.local();
  return redirected_destination(socket.fd());
}

Task<Step> serve_client(Engine& engine, UniqueFd fd, Endpoint peer, Entrance entrance) {
  Step step;
  PinnedSnapshot snapshot = engine.pin();
  if (!snapshot) co_return std::move(step);
  auto socket = Socket::adopt(engine.worker().loop(), std::move(fd));
  if (!socket) {
    SLUICE_LOG(info, "accept", "client=%s: cannot be watched: %s", peer.to_string().c_str(),
               describe(socket.error()).c_str());
    co_return std::move(step);
  }
  Request request;
  request.source = peer;
  request.inbound = socket->local();
  request.inbound_name = entrance.listener;
  const contract::Listener* listener = snapshot->find_listener(entrance.listener);
  if (!admit(*snapshot, listener, request)) co_return std::move(step);
  const bool captured =
      entrance.kind == ListenerKind::redir || entrance.kind == ListenerKind::tproxy;
  if (captured) {
    const bool tproxy = entrance.kind == ListenerKind::tproxy;
    request.inbound_type = tproxy ? InboundType::tproxy : InboundType::redir;
    const Result<Endpoint> target = captured_destination(*socket, entrance.kind);
    if (!target) co_return std::move(step);
    request.destination.ip = target->ip;
    request.destination.port = target->port;
  }
  ClientEnd client =
      std::make_unique<transport::SocketEnd>(std::move(*socket), engine.worker().slices());
  if (captured) {
    step.next = serve_captured(engine, std::move(client), std::move(request));
  } else {
    step.next =
        serve_proxy(engine, std::move(client), std::move(request), std::move(snapshot), *listener);
  }
  co_return std::move(step);
}

}  // namespace

Task<void> serve(Engine& engine, UniqueFd client, Endpoint peer, Entrance entrance) {
  return run_steps(serve_client(engine, std::move(client), peer, std::move(entrance)));
}

}  // namespace sluice::flow
