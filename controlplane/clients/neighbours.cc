#include "controlplane/clients/neighbours.h"

#include <linux/neighbour.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <span>

#include "proto/common/unique_fd.h"

namespace sluice::clients {
namespace {

/// What the kernel fills at most in one message of a dump.
constexpr std::size_t kRoom = 32 * 1024;
/// States in which the address was heard, however long ago.
constexpr unsigned kHeard = NUD_REACHABLE | NUD_STALE | NUD_DELAY | NUD_PROBE | NUD_PERMANENT;

Status ask(int fd) {
  struct {
    nlmsghdr head;
    ndmsg body;
  } request{};
  request.head.nlmsg_len = sizeof request;
  request.head.nlmsg_type = RTM_GETNEIGH;
  request.head.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
  request.body.ndm_family = AF_UNSPEC;
  if (::send(fd, &request, sizeof request, 0) < 0) return fail_errno(errno);
  return {};
}

void learn(const nlmsghdr* head, Neighbours& out) {
  if (head->nlmsg_len < NLMSG_LENGTH(sizeof(ndmsg))) return;
  const auto* body = static_cast<const ndmsg*>(NLMSG_DATA(head));
  if ((body->ndm_state & kHeard) == 0) return;
  IpAddress ip;
  std::uint64_t mac = 0;
  auto left = static_cast<int>(head->nlmsg_len - NLMSG_LENGTH(sizeof(ndmsg)));
  const auto* attribute = reinterpret_cast<const rtattr*>(reinterpret_cast<const std::byte*>(body) +
                                                          NLMSG_ALIGN(sizeof(ndmsg)));
  for (; RTA_OK(attribute, left); attribute = RTA_NEXT(attribute, left)) {
    const std::span data(static_cast<const std::byte*>(RTA_DATA(attribute)),
                         static_cast<std::size_t>(RTA_PAYLOAD(attribute)));
    if (attribute->rta_type == NDA_DST && (data.size() == 4 || data.size() == 16))
      ip = IpAddress::from_bytes(data);
    if (attribute->rta_type == NDA_LLADDR && data.size() == 6)
      for (const std::byte b : data) mac = mac << 8 | std::to_integer<std::uint64_t>(b);
  }
  if (ip.valid() && mac != 0) out.insert_or_assign(ip, mac);
}

}  // namespace

Result<Neighbours> read_neighbours() {
  const UniqueFd fd(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE));
  if (!fd.valid()) return fail_errno(errno);
  const timeval patience{.tv_sec = 0, .tv_usec = 200'000};
  ::setsockopt(fd.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  if (const Status asked = ask(fd.get()); !asked) return fail(asked.error());
  Neighbours out;
  alignas(nlmsghdr) std::array<std::byte, kRoom> room;
  for (;;) {
    const ssize_t size = ::recv(fd.get(), room.data(), room.size(), 0);
    if (size < 0) return fail_errno(errno);
    auto left = static_cast<unsigned>(size);
    for (const auto* head = reinterpret_cast<const nlmsghdr*>(room.data()); NLMSG_OK(head, left);
         head = NLMSG_NEXT(head, left)) {
      if (head->nlmsg_type == NLMSG_DONE) return out;
      if (head->nlmsg_type == NLMSG_ERROR) return fail(Errc::malformed);
      if (head->nlmsg_type == RTM_NEWNEIGH) learn(head, out);
    }
  }
}

}  // namespace sluice::clients
