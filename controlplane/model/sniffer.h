// model/sniffer.h - the map `sniffer:`: which flows are looked at for the host that they ask for.
#pragma once

#include <string>
#include <vector>

#include "controlplane/model/condition.h"

namespace sluice::model {

/// One of HTTP, TLS, QUIC.
struct SniffPorts {
  std::vector<PortRange> ports;  ///< empty = not looked for
  bool override_destination = true;
  friend bool operator==(const SniffPorts&, const SniffPorts&) = default;
};

/// Names or addresses, and sets of them.
struct SniffList {
  std::vector<std::string> written;  ///< one for each of `atoms`
  std::vector<Atom> atoms;           ///< any of them; none asks for an address
  [[nodiscard]] bool empty() const noexcept { return atoms.empty(); }
  friend bool operator==(const SniffList&, const SniffList&) = default;
};

struct Sniffer {
  bool enable = false;
  SniffPorts http;
  SniffPorts tls;
  SniffPorts quic;
  bool force_dns_mapping = true;
  bool parse_pure_ip = true;
  SniffList force_domain;
  SniffList skip_domain;
  SniffList skip_src_address;
  SniffList skip_dst_address;
  friend bool operator==(const Sniffer&, const Sniffer&) = default;
};

}  // namespace sluice::model
