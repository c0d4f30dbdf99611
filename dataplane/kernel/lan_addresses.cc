#include "dataplane/kernel/lan_addresses.h"

#include <linux/if_addr.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <netlink/socket.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace sluice::kernel {

namespace {

struct Collector {
  std::vector<unsigned> devices;  // interface indexes
  std::vector<Prefix> subnets;
};

/// One RTM_NEWADDR record: adds its subnet when it is on a wanted device.
void collect_address(void* context, nlmsghdr* record) {
  auto& out = *static_cast<Collector*>(context);
  if (record->nlmsg_type != RTM_NEWADDR || !nlmsg_valid_hdr(record, sizeof(ifaddrmsg))) return;
  const auto* address = static_cast<const ifaddrmsg*>(nlmsg_data(record));
  if (std::ranges::find(out.devices, address->ifa_index) == out.devices.end()) return;
  // IFA_ADDRESS is the subnet's side of a point-to-point link too.
  const nlattr* value = nlmsg_find_attr(record, sizeof(ifaddrmsg), IFA_ADDRESS);
  if (value == nullptr) return;
  const IpAddress ip = IpAddress::from_bytes(
      {static_cast<const std::byte*>(nla_data(value)), static_cast<std::size_t>(nla_len(value))});
  if (!ip.valid() || ip.is_link_local()) return;
  const Prefix subnet = Prefix::of(ip, address->ifa_prefixlen);
  if (std::ranges::find(out.subnets, subnet) == out.subnets.end()) out.subnets.push_back(subnet);
}

}  // namespace

Result<std::vector<Prefix>> lan_subnets(NetlinkSocket& route,
                                        std::span<const std::string> devices) {
  Collector found;
  for (const std::string& device : devices) {
    if (const unsigned index = ::if_nametoindex(device.c_str()); index != 0)
      found.devices.push_back(index);
  }
  if (found.devices.empty()) return found.subnets;
  const ifaddrmsg everything{};
  const NetlinkMessage query(RTM_GETADDR, NLM_F_DUMP, std::as_bytes(std::span(&everything, 1)));
  if (Status s = route.dump(query, &collect_address, &found); !s) return fail(s.error());
  return found.subnets;
}

Result<LinkWatch> LinkWatch::open() {
  Result<NetlinkSocket> socket = NetlinkSocket::open(NETLINK_ROUTE);
  if (!socket) return fail(socket.error());
  if (nl_socket_add_memberships(socket->get(), RTNLGRP_LINK, RTNLGRP_IPV4_IFADDR,
                                RTNLGRP_IPV6_IFADDR, RTNLGRP_NONE) < 0 ||
      nl_socket_set_nonblocking(socket->get()) < 0)
    return fail(Errc::system, Side::us, EIO);
  return LinkWatch(std::move(*socket));
}

int LinkWatch::fd() const noexcept {
  return nl_socket_get_fd(socket_.get());
}

bool LinkWatch::drain() {
  bool changed = false;
  // The content does not matter: readers ask for the state that holds now.
  alignas(nlmsghdr) std::array<char, 8192> room;
  for (;;) {
    const ssize_t got = ::recv(fd(), room.data(), room.size(), MSG_DONTWAIT);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && errno == ENOBUFS) {
      changed = true;
      continue;
    }
    if (got <= 0) return changed;
    changed = true;
  }
}

}  // namespace sluice::kernel
