// clients/neighbours.h - hardware addresses of the machines next to us, as the kernel knows them
// now.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "proto/common/address.h"
#include "proto/common/result.h"

namespace sluice::clients {

using Neighbours = std::unordered_map<IpAddress, std::uint64_t, IpAddressHash>;

/// IPv4 and IPv6; needs no privilege. Takes some 100 us for a LAN. Errors: system, malformed.
[[nodiscard]] Result<Neighbours> read_neighbours();

}  // namespace sluice::clients
