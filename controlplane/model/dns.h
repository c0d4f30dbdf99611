// model/dns.h - the map `dns:`, typed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "controlplane/model/diagnostic.h"
#include "proto/common/address.h"

namespace sluice::model {

enum class DnsTransport : std::uint8_t {
  udp,
  tcp,
  system,  ///< the servers of /etc/resolv.conf; host is empty
};

/// One upstream server.
struct DnsServer {
  DnsTransport transport = DnsTransport::udp;
  std::string host;  ///< address literal without brackets, or a name in normal form
  std::uint16_t port = 53;
  friend bool operator==(const DnsServer&, const DnsServer&) = default;
};

enum class DnsMode : std::uint8_t {
  normal,  ///< redir-host answers so too, with one warning
  fake_ip,
};
enum class FakeIpFilterMode : std::uint8_t { blacklist, whitelist };

struct Dns {
  bool enable = false;
  /// Where the listener stands; v6 unspecified = both families. Absent: no listener of its own.
  std::optional<Endpoint> listen;
  Origin listen_origin;
  bool ipv6 = false;  ///< false: AAAA empty
  bool use_hosts = true;
  DnsMode mode = DnsMode::normal;
  Prefix fake_ip_range = Prefix::of(IpAddress::v4(0xc6120000), 16);  ///< 198.18.0.0/16
  std::optional<Prefix> fake_ip_range6;
  std::uint32_t fake_ip_ttl_s = 1;
  /// Name patterns: a plain name, or `*` = one label, `+.x` = x and below, `.x` = below only.
  std::vector<std::string> fake_ip_filter;
  FakeIpFilterMode fake_ip_filter_mode = FakeIpFilterMode::blacklist;
  std::vector<DnsServer> default_nameserver;  ///< address literals only: names of servers
  std::vector<DnsServer> nameserver;          ///< the main set, never empty
  std::uint32_t cache_max_size = 4096;        ///< entries
  friend bool operator==(const Dns&, const Dns&) = default;
};

}  // namespace sluice::model
