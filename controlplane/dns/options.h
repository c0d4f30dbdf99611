// dns/options.h - everything the DNS room is told by the configuration.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "controlplane/model/dns.h"
#include "controlplane/model/general.h"

namespace sluice::dns {

/// Plain value, filled by the app room from a model::Config.
struct DnsOptions {
  model::Dns dns;                  ///< `listen` counts only while `enable`
  std::vector<model::Host> hosts;  ///< file order
  /// LAN devices whose port 53 is redirected to us; empty = no hijack.
  std::vector<std::string> hijack_devices;
  std::uint32_t fake_ip_size = 16'384;  ///< names kept at most, per family
  friend bool operator==(const DnsOptions&, const DnsOptions&) = default;
};

}  // namespace sluice::dns
