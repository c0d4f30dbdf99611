#include "proto/runtime/net/error_queue.h"

#include <linux/errqueue.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace sluice {
namespace {

bool set_on(int fd, int level, int name) noexcept {
  const int on = 1;
  return ::setsockopt(fd, level, name, &on, sizeof on) == 0;
}

std::optional<Unreachable> why_of(const sock_extended_err& error) noexcept {
  if (error.ee_origin != SO_EE_ORIGIN_ICMP && error.ee_origin != SO_EE_ORIGIN_ICMP6) return {};
  switch (error.ee_errno) {
    case ECONNREFUSED:
      return Unreachable::port;
    case EHOSTUNREACH:
      return Unreachable::host;
    case ENETUNREACH:
      return Unreachable::network;
    case EACCES:
      return Unreachable::prohibited;
    default:
      return {};  // a packet too big: the kernel fragments from now on
  }
}

std::optional<Unreachable> why_of(const msghdr& header) noexcept {
  for (cmsghdr* c = CMSG_FIRSTHDR(&header); c != nullptr;
       c = CMSG_NXTHDR(const_cast<msghdr*>(&header), c)) {
    const bool ours = (c->cmsg_level == SOL_IP && c->cmsg_type == IP_RECVERR) ||
                      (c->cmsg_level == SOL_IPV6 && c->cmsg_type == IPV6_RECVERR);
    if (!ours || c->cmsg_len < CMSG_LEN(sizeof(sock_extended_err))) continue;
    sock_extended_err error{};
    std::memcpy(&error, CMSG_DATA(c), sizeof error);
    return why_of(error);
  }
  return {};
}

}  // namespace

Status ask_for_errors(int fd) noexcept {
  int family = 0;
  socklen_t size = sizeof family;
  if (::getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &family, &size) != 0) return fail_errno(errno);
  // A dual-stack socket sends IPv4 as well.
  const bool set =
      (family != AF_INET6 || set_on(fd, SOL_IPV6, IPV6_RECVERR)) && set_on(fd, SOL_IP, IP_RECVERR);
  if (!set) return fail_errno(errno);
  return {};
}

std::optional<SendError> next_send_error(int fd) noexcept {
  for (;;) {
    sockaddr_in6 name{};  // holds an IPv4 one as well
    alignas(cmsghdr) std::array<std::byte, 256> control;
    msghdr header{};
    header.msg_name = &name;
    header.msg_namelen = sizeof name;
    header.msg_control = control.data();
    header.msg_controllen = control.size();
    if (::recvmsg(fd, &header, MSG_ERRQUEUE | MSG_DONTWAIT) < 0) return {};
    const auto why = why_of(header);
    if (!why || header.msg_namelen == 0) continue;
    const Endpoint to = Endpoint::from_sockaddr(reinterpret_cast<const sockaddr*>(&name));
    if (to.ip.valid()) return SendError{to, *why};
  }
}

}  // namespace sluice
