#include "dataplane/outbound/dial.h"

#include <utility>
#include <vector>

#include "dataplane/outbound/direct_packets.h"
#include "dataplane/outbound/happy_eyeballs.h"
#include "dataplane/protocol/http/client.h"
#include "dataplane/protocol/shadowsocks/layer.h"
#include "dataplane/protocol/shadowsocks/packet_end.h"
#include "dataplane/protocol/socks/client.h"
#include "dataplane/transport/datagram_port.h"
#include "dataplane/transport/socket_end.h"

namespace sluice::outbound {
namespace {

using contract::NamePurpose;
using contract::Outbound;
using contract::OutboundKind;
using transport::SocketEnd;

DialOptions options_of(const DialContext& context, const Outbound& leaf) {
  const contract::Manifest& manifest = *context.manifest;
  DialOptions options;
  const std::uint32_t wanted = leaf.routing_mark != 0 ? leaf.routing_mark : manifest.routing_mark;
  options.mark = wanted | context.own_mark;
  options.device = leaf.interface_name.empty() ? std::string_view(manifest.interface_name)
                                               : std::string_view(leaf.interface_name);
  return options;
}

/// The address list for a destination, asked for when only its name is known.
Task<Result<std::vector<IpAddress>>> addresses_of(DialContext context, const Outbound& leaf,
                                                  Destination to, NamePurpose purpose,
                                                  Until until) {
  std::vector<IpAddress> found;
  if (to.ip.valid()) {
    found.push_back(to.ip);
  } else {
    Result<std::vector<IpAddress>> answer =
        co_await context.names->resolve(to.name, purpose, until);
    if (!answer) co_return fail(answer.error());
    found = std::move(*answer);
  }
  std::vector<IpAddress> ordered = order_addresses(found, leaf.ip_version, context.manifest->ipv6);
  if (ordered.empty()) co_return fail(Errc::no_address, Side::upstream);
  co_return ordered;
}

Task<Result<Connection>> connect_to(DialContext context, const Outbound& leaf, Destination to,
                                    NamePurpose purpose, Until until) {
  Result<std::vector<IpAddress>> addresses =
      co_await addresses_of(context, leaf, to, purpose, until);
  if (!addresses) co_return fail(addresses.error());
  Result<Connection> connection =
      co_await connect_any(context.worker->loop(), std::move(*addresses), to.port,
                           options_of(context, leaf), context.manifest->tcp_concurrent, until);
  co_return connection;
}

Result<Destination> server_of(const Outbound& leaf) {
  return Destination::from_host(leaf.server, leaf.port);
}

/// The handshake that asks a proxy for `to`, on an end that is connected to it.
Task<Status> ask_proxy(DialContext context, const Outbound& leaf, SocketEnd& end,
                       const Destination& to, Until until) {
  switch (leaf.kind) {
    case OutboundKind::socks5: {
      const socks::ClientOptions options{leaf.username, leaf.password};
      Status done = co_await socks::connect_through(end, to, options, until);
      co_return done;
    }
    case OutboundKind::http: {
      const http::ClientOptions options{leaf.username, leaf.password};
      Status done = co_await http::connect_through(end, to, options, until);
      co_return done;
    }
    case OutboundKind::shadowsocks: {
      const auto key = context.keys->get(leaf.cipher, leaf.password);
      if (!key) co_return fail(key.error());
      auto layer = shadowsocks::ShadowsocksLayer::make(**key, context.worker->slices(), to);
      if (!layer) co_return fail(layer.error());
      end.push(std::move(*layer));
      co_return Status{};
    }
    default:
      co_return fail(Errc::not_built);
  }
}

Task<Result<std::unique_ptr<transport::PacketEnd>>> associate(DialContext context,
                                                              const Outbound& leaf,
                                                              Destination server, Until until) {
  Result<Connection> control =
      co_await connect_to(context, leaf, server, NamePurpose::proxy_server, until);
  if (!control) co_return fail(control.error());
  auto end = std::make_unique<SocketEnd>(std::move(control->socket), context.worker->slices());
  end->keep_alive(keep_alive_of(context.manifest->limits));
  const socks::ClientOptions options{leaf.username, leaf.password};
  Result<std::unique_ptr<transport::PacketEnd>> packets = co_await socks::associate_through(
      std::move(end), options, context.worker->datagrams(), options_of(context, leaf), until);
  co_return packets;
}

Task<Result<std::unique_ptr<transport::PacketEnd>>> shadowsocks_packets(DialContext context,
                                                                        const Outbound& leaf,
                                                                        Destination server,
                                                                        Until until) {
  Result<std::vector<IpAddress>> addresses =
      co_await addresses_of(context, leaf, server, NamePurpose::proxy_server, until);
  if (!addresses) co_return fail(addresses.error());
  const Endpoint at{addresses->front(), server.port};
  auto socket = transport::connect_udp(context.worker->loop(), at, options_of(context, leaf));
  if (!socket) co_return fail(socket.error());
  const auto key = context.keys->get(leaf.cipher, leaf.password);
  if (!key) co_return fail(key.error());
  auto end =
      shadowsocks::PacketEnd::make(**key, std::move(*socket), at, context.worker->datagrams());
  if (!end) co_return fail(end.error());
  co_return std::unique_ptr<transport::PacketEnd>(std::move(*end));
}

}  // namespace

Task<Result<Stream>> dial(DialContext context, std::uint32_t leaf_index, Destination to,
                          Until until) {
  const Outbound& leaf = context.manifest->outbounds[leaf_index];
  const bool direct = leaf.kind == OutboundKind::direct;
  Destination first = to;
  if (!direct) {
    const Result<Destination> server = server_of(leaf);
    if (!server) co_return fail(server.error());
    first = *server;
  }
  Result<Connection> connection = co_await connect_to(
      context, leaf, first, direct ? NamePurpose::direct : NamePurpose::proxy_server, until);
  if (!connection) co_return fail(connection.error());
  Stream stream;
  stream.remote = connection->remote;
  auto end = std::make_unique<SocketEnd>(std::move(connection->socket), context.worker->slices());
  if (!direct) {
    const Status asked = co_await ask_proxy(context, leaf, *end, to, until);
    if (!asked) co_return fail(asked.error());
    stream.head_rides_payload = leaf.kind == OutboundKind::shadowsocks;
  }
  stream.end = std::move(end);
  co_return stream;
}

Task<Result<std::unique_ptr<transport::PacketEnd>>> open_packets(DialContext context,
                                                                 std::uint32_t leaf_index,
                                                                 Until until) {
  const Outbound& leaf = context.manifest->outbounds[leaf_index];
  if (leaf.kind == OutboundKind::direct) {
    auto end =
        DirectPacketEnd::open(*context.worker, options_of(context, leaf), context.manifest->ipv6);
    if (!end) co_return fail(end.error());
    co_return std::move(*end);
  }
  Result<Destination> server = server_of(leaf);
  if (!server) co_return fail(server.error());
  if (leaf.kind == OutboundKind::socks5) {
    Result<std::unique_ptr<transport::PacketEnd>> end =
        co_await associate(context, leaf, std::move(*server), until);
    co_return end;
  }
  if (leaf.kind == OutboundKind::shadowsocks) {
    Result<std::unique_ptr<transport::PacketEnd>> end =
        co_await shadowsocks_packets(context, leaf, std::move(*server), until);
    co_return end;
  }
  co_return fail(Errc::not_built);
}

}  // namespace sluice::outbound
