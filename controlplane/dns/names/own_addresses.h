// dns/names/own_addresses.h - the addresses this machine has now.
#pragma once

#include <vector>

#include "proto/common/address.h"

namespace sluice::dns {

/// Of all interfaces that are up, loopback's included. Empty when the kernel does not tell.
[[nodiscard]] std::vector<IpAddress> own_addresses();

}  // namespace sluice::dns
