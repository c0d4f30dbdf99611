// clients/leases.h - dnsmasq's leases file: which device asked for which address, and what it calls
// itself.
//
//   1764547200 02:00:5e:10:00:01 192.168.1.20 phone 01:02:00:5e:10:00:01      DHCPv4
//   duid 00:01:00:01:...                                                      our own, of DHCPv6
//   1764547200 305419896 fd00::20 phone 00:01:00:01:...                       DHCPv6: no MAC
//
// Names come from the devices and may hold anything. Pure; lines that are none are left out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "proto/common/address.h"

namespace sluice::clients {

struct Lease {
  IpAddress ip;
  std::uint64_t mac = 0;  ///< 48 bits, the first byte on the wire is the highest; 0: not said
  std::string name;       ///< empty: it gave none
};

/// At most kMaxLeases.
[[nodiscard]] std::vector<Lease> parse_leases(std::string_view text);

/// "02:00:5e:10:00:01"; empty for 0.
[[nodiscard]] std::string mac_text(std::uint64_t mac);

/// A /16 of devices; a line is some 70 bytes.
inline constexpr std::size_t kMaxLeases = 65'536;

}  // namespace sluice::clients
