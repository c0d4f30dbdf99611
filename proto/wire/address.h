// wire/address.h - addresses, endpoints, prefixes and destinations on the contract.
#pragma once

#include <string>

#include "proto/common/address.h"
#include "proto/common/name.h"
#include "proto/wire/scope.h"
#include "sluice/v1/shapes.pb.h"

namespace sluice::wire {

/// 4 or 16 bytes; empty for an invalid address.
[[nodiscard]] inline std::string to_bytes(const IpAddress& address) {
  return std::string(as_text(address.bytes()));
}
[[nodiscard]] inline std::string to_bytes(const contract::Digest& digest) {
  return std::string(as_text(digest));
}

void encode(const Endpoint& in, v1::Endpoint* out);
void encode(const Prefix& in, v1::Prefix* out);
void encode(const Destination& in, v1::Destination* out);

/// An absent address is allowed: the endpoint is then invalid.
[[nodiscard]] Endpoint decode_endpoint(const Scope& at, const v1::Endpoint& in);
/// Needs a name or an address.
[[nodiscard]] Destination decode_destination(const Scope& at, const v1::Destination& in);

}  // namespace sluice::wire
