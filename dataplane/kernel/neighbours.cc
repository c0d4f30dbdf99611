#include "dataplane/kernel/neighbours.h"

#include <linux/neighbour.h>
#include <linux/rtnetlink.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <netlink/socket.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <span>

#include "dataplane/kernel/limits.h"

namespace sluice::kernel {
namespace {

constexpr int kEthernetBytes = 6;
/// States in which the kernel stands by the hardware address. NOARP entries are multicast,
/// broadcast and loopback: no device sends from them.
constexpr unsigned kHeard = NUD_PERMANENT | NUD_REACHABLE | NUD_STALE | NUD_DELAY | NUD_PROBE;
constexpr int kDumpTries = 3;  // a table that changes under a dump interrupts it

IpAddress address_in(const nlattr* value) noexcept {
  if (value == nullptr) return {};
  return IpAddress::from_bytes(
      {static_cast<const std::byte*>(nla_data(value)), static_cast<std::size_t>(nla_len(value))});
}

/// One RTM_NEWNEIGH record; others say nothing that counts (see the header).
void collect(void* context, nlmsghdr* record) {
  auto& out = *static_cast<std::vector<Neighbour>*>(context);
  if (record->nlmsg_type != RTM_NEWNEIGH || !nlmsg_valid_hdr(record, sizeof(ndmsg))) return;
  const auto* head = static_cast<const ndmsg*>(nlmsg_data(record));
  // Bridges report their forwarding tables in the same group.
  if (head->ndm_family != AF_INET && head->ndm_family != AF_INET6) return;
  if ((head->ndm_state & kHeard) == 0) return;
  const IpAddress ip = address_in(nlmsg_find_attr(record, sizeof(ndmsg), NDA_DST));
  const nlattr* hardware = nlmsg_find_attr(record, sizeof(ndmsg), NDA_LLADDR);
  if (!ip.valid() || hardware == nullptr || nla_len(hardware) != kEthernetBytes) return;
  std::uint64_t mac = 0;
  for (const std::uint8_t byte :
       std::span(static_cast<const std::uint8_t*>(nla_data(hardware)), std::size_t{kEthernetBytes}))
    mac = mac << 8U | byte;
  if (mac != 0) out.push_back({ip, mac});
}

}  // namespace

Result<NeighbourSource> NeighbourSource::open() {
  Result<NetlinkSocket> socket = NetlinkSocket::open(NETLINK_ROUTE);
  if (!socket) return fail(socket.error());
  if (nl_socket_add_memberships(socket->get(), RTNLGRP_NEIGH, RTNLGRP_NONE) < 0 ||
      nl_socket_set_nonblocking(socket->get()) < 0)
    return fail(Errc::system, Side::us, EIO);
  return NeighbourSource(std::move(*socket));
}

int NeighbourSource::fd() const noexcept {
  return nl_socket_get_fd(socket_.get());
}

Status NeighbourSource::dump(std::vector<Neighbour>& out) const {
  Result<NetlinkSocket> socket = NetlinkSocket::open(NETLINK_ROUTE);
  if (!socket) return fail(socket.error());
  const ndmsg everything{};
  Status read;
  for (int i = 0; i < kDumpTries; ++i) {
    const NetlinkMessage query(RTM_GETNEIGH, NLM_F_DUMP, std::as_bytes(std::span(&everything, 1)));
    read = socket->dump(query, &collect, &out);
    if (read) break;
  }
  return read;
}

bool NeighbourSource::drain(std::vector<Neighbour>& out) const {
  bool whole = true;
  alignas(nlmsghdr) std::array<std::byte, 16384> room;
  for (;;) {
    sockaddr_nl from{};
    socklen_t size = sizeof from;
    const ssize_t got = ::recvfrom(fd(), room.data(), room.size(), MSG_DONTWAIT,
                                   reinterpret_cast<sockaddr*>(&from), &size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && errno == ENOBUFS) {
      whole = false;
      continue;
    }
    if (got <= 0) return whole;
    if (from.nl_pid != 0) continue;  // not the kernel
    auto* record = reinterpret_cast<nlmsghdr*>(room.data());
    for (int left = static_cast<int>(got); nlmsg_ok(record, left) != 0;
         record = nlmsg_next(record, &left))
      collect(&out, record);
  }
}

NeighbourTable::NeighbourTable(std::vector<Neighbour> neighbours) : sorted_(std::move(neighbours)) {
  std::ranges::sort(sorted_, {}, &Neighbour::ip);
}

std::uint64_t NeighbourTable::mac_of(const IpAddress& ip) const noexcept {
  const auto found = std::ranges::lower_bound(sorted_, ip, {}, &Neighbour::ip);
  return found != sorted_.end() && found->ip == ip ? found->mac : 0;
}

bool NeighbourBook::learn(const Neighbour& heard) {
  const auto [at, fresh] = by_address_.try_emplace(heard.ip);
  const bool news = at->second.mac != heard.mac;
  at->second = {heard.mac, ++clock_};
  if (fresh && by_address_.size() > kMaxNeighbours) forget_oldest();
  return news;
}

void NeighbourBook::forget_oldest() {
  const auto oldest = std::ranges::min_element(
      by_address_, {}, [](const auto& entry) { return entry.second.heard; });
  by_address_.erase(oldest);
}

std::shared_ptr<const NeighbourTable> NeighbourBook::table() const {
  std::vector<Neighbour> out;
  out.reserve(by_address_.size());
  for (const auto& [ip, entry] : by_address_) out.push_back({ip, entry.mac});
  return std::make_shared<const NeighbourTable>(std::move(out));
}

}  // namespace sluice::kernel
