#include "controlplane/dns/upstream/exchange.h"

#include <sys/random.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <utility>
#include <vector>

#include "controlplane/dns/bounds.h"
#include "controlplane/dns/tcp_frame.h"
#include "proto/runtime/net/connect.h"
#include "proto/runtime/net/open.h"
#include "proto/runtime/net/socket.h"

namespace sluice::dns {
namespace {

std::uint16_t random_id() noexcept {
  std::uint16_t id = 0;
  // Two bytes never block or fail once the kernel's generator is up; before that port and id of
  // zero are still bound to the server's address by the connected socket.
  (void)!::getrandom(&id, sizeof id, GRND_NONBLOCK);
  return id;
}

Error upstream_error(const Error& error) noexcept {
  return Error{error.code, Side::upstream, 0, error.sys};
}

Result<Socket> open_connected(Loop& loop, const Endpoint& server) {
  auto fd = open_udp(server.ip.family(), {});
  if (!fd) return fail(fd.error());
  sockaddr_storage raw{};
  const socklen_t size = server.to_sockaddr(raw);
  if (::connect(fd->get(), reinterpret_cast<const sockaddr*>(&raw), size) != 0)
    return fail_errno(errno, Side::upstream);
  return Socket::adopt(loop, std::move(*fd));
}

Status send_udp(const Socket& socket, const Query& query, bool edns) noexcept {
  std::array<std::byte, kMaxQuery> wire;
  const std::size_t size = write_query(query, edns, wire);
  if (::send(socket.fd(), wire.data(), size, MSG_NOSIGNAL) < 0 && errno != EAGAIN)
    return fail_errno(errno, Side::upstream);
  return {};
}

/// Reads until a datagram answers the query. Errors: again (none has yet); refused and the like
/// (ICMP); malformed.
Result<Received> receive_udp(Socket& socket, const Query& query) {
  std::array<std::byte, 4096> buffer;
  for (;;) {
    const ssize_t n = ::recv(socket.fd(), buffer.data(), buffer.size(), 0);
    if (n < 0) {
      if (errno == EAGAIN) socket.watch().clear_readable();
      return fail_errno(errno, Side::upstream);
    }
    const auto message = ByteView(buffer).first(static_cast<std::size_t>(n));
    if (!answers_query(message, query.id, query.question)) continue;
    // A truncated answer may end anywhere: only its header counts.
    if (decode_header(message)->truncated) return Received{.truncated = true};
    auto received = decode_answer(message, query.question);
    if (!received) return fail(Errc::malformed, Side::upstream);
    return received;
  }
}

Task<Result<Received>> ask_udp(Loop& loop, OwnSockets& own, Endpoint server, Query query, bool edns,
                               Until until) {
  auto socket = open_connected(loop, server);
  if (!socket) co_return fail(socket.error());
  query.id = random_id();
  const OwnSockets::Asking asking(own, socket->local());
  const Moment start = loop.now();
  std::size_t round = 0;
  for (;;) {
    const Status sent = send_udp(*socket, query, edns);
    if (!sent) co_return fail(sent.error());
    const Until round_end =
        round < std::size(kUdpRepeats) ? until.earlier(start + kUdpRepeats[round]) : until;
    ++round;
    for (;;) {
      auto received = receive_udp(*socket, query);
      if (received || received.error().code != Errc::again) co_return std::move(received);
      const Status ready = co_await readable(socket->watch(), round_end);
      if (ready) continue;
      if (ready.error().code != Errc::timeout || loop.now() >= until.deadline)
        co_return fail(upstream_error(ready.error()));
      break;
    }
  }
}

Task<Result<Received>> ask_tcp(Loop& loop, OwnSockets& own, Endpoint server, Query query, bool edns,
                               Until until) {
  Task<Result<Socket>> dial = connect_tcp(loop, server, {}, until);
  Result<Socket> socket = co_await dial;
  if (!socket) co_return fail(socket.error());
  query.id = random_id();
  const OwnSockets::Asking asking(own, socket->local());
  std::vector<std::byte> wire(kMaxQuery);
  wire.resize(write_query(query, edns, wire));
  Task<Status> send = write_frame(*socket, wire, until);
  const Status sent = co_await send;
  if (!sent) co_return fail(upstream_error(sent.error()));
  FrameReader frames(*socket);
  for (;;) {
    Task<Result<ByteView>> next = frames.next(until);
    const Result<ByteView> message = co_await next;
    if (!message) co_return fail(upstream_error(message.error()));
    if (!answers_query(*message, query.id, query.question)) continue;
    auto received = decode_answer(*message, query.question);
    if (!received) co_return fail(Errc::malformed, Side::upstream);
    received->truncated = false;
    co_return std::move(received);
  }
}

/// RFC 6891 section 7: these codes without an OPT record mean that EDNS0 is not known there.
bool lacks_edns(const Received& received) noexcept {
  return !received.had_edns && (received.full_rcode == rcode::kFormatError ||
                                received.full_rcode == rcode::kNotImplemented);
}

Task<Result<Received>> ask_once(Loop& loop, OwnSockets& own, Endpoint server, Transport transport,
                                Query query, bool edns, Until until) {
  if (transport == Transport::udp) {
    Task<Result<Received>> udp = ask_udp(loop, own, server, query, edns, until);
    Result<Received> received = co_await udp;
    if (!received || !received->truncated) co_return std::move(received);
  }
  Task<Result<Received>> tcp = ask_tcp(loop, own, server, query, edns, until);
  Result<Received> received = co_await tcp;
  co_return std::move(received);
}

}  // namespace

Task<Result<Received>> exchange(Loop& loop, OwnSockets& own, Endpoint server, Transport transport,
                                Query query, Until until) {
  Task<Result<Received>> first = ask_once(loop, own, server, transport, query, true, until);
  Result<Received> received = co_await first;
  if (!received || !lacks_edns(*received)) co_return std::move(received);
  Task<Result<Received>> plain = ask_once(loop, own, server, transport, query, false, until);
  Result<Received> again = co_await plain;
  co_return std::move(again);
}

}  // namespace sluice::dns
