#include "controlplane/dns/names/own_addresses.h"

#include <ifaddrs.h>
#include <net/if.h>

namespace sluice::dns {

std::vector<IpAddress> own_addresses() {
  std::vector<IpAddress> out;
  ifaddrs* first = nullptr;
  if (::getifaddrs(&first) != 0) return out;
  for (const ifaddrs* i = first; i != nullptr; i = i->ifa_next) {
    if (i->ifa_addr == nullptr || (i->ifa_flags & IFF_UP) == 0) continue;
    const IpAddress ip = Endpoint::from_sockaddr(i->ifa_addr).ip;
    if (ip.valid()) out.push_back(ip);
  }
  ::freeifaddrs(first);
  return out;
}

}  // namespace sluice::dns
