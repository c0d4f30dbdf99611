// socks/udp_head.h - the head of a relayed datagram (RFC 1928 section 7).
//
//   reserved(2) = 0 | fragment(1) = 0 | address | payload
//
// Pure functions. On packets in place: decoding drops the head, encoding prepends it.
#pragma once

#include "dataplane/protocol/socks_address/socks_address.h"
#include "proto/runtime/net/datagram_batch.h"

namespace sluice::socks {

/// Headroom that prepending may need.
inline constexpr std::size_t kMaxUdpHead = 3 + kMaxAddress;

/// Takes the head off `packet`; the address is a view into its headroom. An empty payload is legal.
/// Errors, all of which mean drop (B076): malformed (reserved bytes set, or the head is longer than
/// the datagram), unsupported (a fragment, an unknown address type).
[[nodiscard]] Result<Address> take_udp_head(Packet& packet) noexcept;

/// Errors: no_room (the packet lacks headroom).
[[nodiscard]] Status push_udp_head(Packet& packet, const Destination& to) noexcept;

/// The head of a datagram of `source`, whose family must be known, written to the front of `room`.
inline constexpr std::size_t kMaxEndpointHead = 3 + 1 + 16 + 2;
[[nodiscard]] ByteView write_udp_head(std::span<std::byte, kMaxEndpointHead> room,
                                      const Endpoint& source) noexcept;

}  // namespace sluice::socks
