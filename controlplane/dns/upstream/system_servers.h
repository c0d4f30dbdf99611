// dns/upstream/system_servers.h - the servers that the system itself is told to use.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "proto/common/address.h"

namespace sluice::dns {

/// Addresses of the `nameserver` lines of a resolv.conf text, port 53, in order.
[[nodiscard]] std::vector<Endpoint> parse_resolv_conf(std::string_view text);
/// Of /etc/resolv.conf as it is now; empty when it cannot be read. Blocks on a small local file.
[[nodiscard]] std::vector<Endpoint> system_servers();

}  // namespace sluice::dns
