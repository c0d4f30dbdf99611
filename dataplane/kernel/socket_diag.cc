#include "dataplane/kernel/socket_diag.h"

#include <arpa/inet.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <optional>
#include <utility>

#include "proto/runtime/net/open.h"
#include "proto/runtime/net/socket.h"

namespace sluice::kernel {
namespace {

struct Message {
  nlmsghdr head{};
  inet_diag_req_v2 body{};
};

void put_address(__be32 (&out)[4], const IpAddress& ip) noexcept {
  std::memcpy(out, ip.bytes().data(), ip.bytes().size());
}

Message message_for(const SocketQuery& query, std::uint32_t id) noexcept {
  Message m;
  m.head.nlmsg_len = sizeof m;
  m.head.nlmsg_type = SOCK_DIAG_BY_FAMILY;
  m.head.nlmsg_flags = NLM_F_REQUEST;
  m.head.nlmsg_seq = id;
  m.body.sdiag_family = query.local.ip.is_v4() ? AF_INET : AF_INET6;
  const bool tcp = query.network == Network::tcp;
  m.body.sdiag_protocol = tcp ? IPPROTO_TCP : IPPROTO_UDP;
  m.body.idiag_states = ~0U;
  // TCP: source is the socket's own side. UDP: the packet's that it would receive, so the other way
  // round (net/ipv4/udp_diag.c: "swapped for historical reasons").
  const Endpoint& source = tcp ? query.local : query.remote;
  const Endpoint& destination = tcp ? query.remote : query.local;
  m.body.id.idiag_sport = htons(source.port);
  m.body.id.idiag_dport = htons(destination.port);
  put_address(m.body.id.idiag_src, source.ip);
  put_address(m.body.id.idiag_dst, destination.ip);
  m.body.id.idiag_cookie[0] = INET_DIAG_NOCOOKIE;
  m.body.id.idiag_cookie[1] = INET_DIAG_NOCOOKIE;
  return m;
}

/// What one record says about the socket at `port`.
Result<SocketOwner> owner_in(const nlmsghdr& record, std::uint16_t port) noexcept {
  if (record.nlmsg_type == NLMSG_ERROR && record.nlmsg_len >= NLMSG_LENGTH(sizeof(nlmsgerr))) {
    const auto* error = static_cast<const nlmsgerr*>(NLMSG_DATA(&record));
    return fail_errno(-error->error);
  }
  if (record.nlmsg_type != SOCK_DIAG_BY_FAMILY ||
      record.nlmsg_len < NLMSG_LENGTH(sizeof(inet_diag_msg)))
    return fail(Errc::malformed);
  const auto* found = static_cast<const inet_diag_msg*>(NLMSG_DATA(&record));
  // Without a connection the kernel offers a listener at the address: that is somebody else. A
  // socket whose program is gone has no inode, and its user says nothing.
  const bool other = found->idiag_state == TCP_LISTEN || ntohs(found->id.idiag_sport) != port;
  if (other || found->idiag_inode == 0) return fail(Errc::not_found, Side::us, ENOENT);
  return SocketOwner{found->idiag_uid, found->idiag_inode};
}

Status send_query(int fd, const SocketQuery& query, std::uint32_t id) noexcept {
  const Message message = message_for(query, id);
  sockaddr_nl kernel{};
  kernel.nl_family = AF_NETLINK;
  const auto* to = reinterpret_cast<const sockaddr*>(&kernel);
  for (;;) {
    if (::sendto(fd, &message, sizeof message, 0, to, sizeof kernel) >= 0) return {};
    if (errno != EINTR) return fail_errno(errno);
  }
}

/// The next record; absent when there is none.
std::optional<nlmsghdr*> next_record(int fd, std::span<std::byte> room) noexcept {
  for (;;) {
    sockaddr_nl from{};
    socklen_t size = sizeof from;
    const ssize_t got = ::recvfrom(fd, room.data(), room.size(), MSG_DONTWAIT,
                                   reinterpret_cast<sockaddr*>(&from), &size);
    // ENOBUFS: answers were lost; who waits for them times out.
    if (got < 0 && (errno == EINTR || errno == ENOBUFS)) continue;
    if (got <= 0) return std::nullopt;
    auto* record = reinterpret_cast<nlmsghdr*>(room.data());
    if (from.nl_pid == 0 && NLMSG_OK(record, static_cast<std::size_t>(got))) return record;
  }
}

/// Whether the kernel can tell at all: a kernel without the modules answers like one that knows no
/// such socket.
Status probe(int fd) {
  auto known = bind_udp({IpAddress::v4(INADDR_LOOPBACK), 0});
  if (!known) return fail(known.error());
  const Endpoint local = local_endpoint(known->get());
  if (Status s = send_query(fd, {Network::udp, local, {local.ip, 1}}, 0); !s) return s;
  alignas(nlmsghdr) std::array<std::byte, 4096> room;
  const auto record = next_record(fd, room);
  if (!record || !owner_in(**record, local.port)) return fail(Errc::unsupported);
  return {};
}

}  // namespace

Result<std::unique_ptr<SocketDiag>> SocketDiag::open(Loop& loop) {
  UniqueFd fd(::socket(AF_NETLINK, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, NETLINK_SOCK_DIAG));
  if (!fd.valid()) return fail_errno(errno);
  if (Status able = probe(fd.get()); !able) return fail(able.error());
  auto watch = Watch::make(loop, std::move(fd));
  if (!watch) return fail(watch.error());
  std::unique_ptr<SocketDiag> diag(new SocketDiag(loop, std::move(*watch)));
  diag->watch_->set_sink(diag.get());
  return diag;
}

Task<Result<SocketOwner>> SocketDiag::find(SocketQuery query, Until until) {
  if (query.local.ip.family() != query.remote.ip.family() || !query.local.ip.valid())
    co_return fail(Errc::not_found);
  Questions::Question question(questions_, Asked{.port = query.local.port});
  const Status sent = send_query(watch_->fd(), query, question.id());
  if (!sent) co_return fail(sent.error());
  drain();  // the answer is here already, unless the kernel does it otherwise one day
  const Status answered = co_await question.wait(until);
  if (!answered) co_return fail(answered.error());
  co_return question.value.result;
}

void SocketDiag::drain() noexcept {
  alignas(nlmsghdr) std::array<std::byte, 4096> room;
  while (const auto record = next_record(watch_->fd(), room)) {
    Questions::Question* asked = questions_.find((*record)->nlmsg_seq);
    if (asked == nullptr) continue;
    asked->value.result = owner_in(**record, asked->value.port);
    asked->finish();
  }
  watch_->clear_readable();
}

}  // namespace sluice::kernel
