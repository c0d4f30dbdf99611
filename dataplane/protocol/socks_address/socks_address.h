// socks_address/socks_address.h - where to, in the order of SOCKS5 (RFC 1928 section 5).
//
//   ATYP(1) | host(4, 16 or 1+n) | port(2, big endian)      ATYP: 1 IPv4, 3 name, 4 IPv6
//
// Pure functions; views point into the input.
#pragma once

#include <cstdint>

#include "proto/common/address.h"
#include "proto/common/cursor.h"
#include "proto/common/name.h"
#include "proto/common/result.h"

namespace sluice::socks {

/// Type, length byte, 255 bytes of name, port.
inline constexpr std::size_t kMaxAddress = 1 + 1 + 255 + 2;

struct Address {
  enum class Kind : std::uint8_t { v4 = 1, name = 3, v6 = 4 };
  Kind kind = Kind::v4;
  ByteView host;           ///< 4, 16 or 1..255 bytes; a view into the input
  std::uint16_t port = 0;  ///< host byte order
};

/// Errors: truncated, unsupported (ATYP), malformed (empty name).
[[nodiscard]] Result<Address> decode_address(Reader& in) noexcept;

/// Normal form; a name field that holds an address literal becomes that address.
/// Errors: malformed (not a name).
[[nodiscard]] Result<Destination> to_destination(const Address& address);
/// The ip is invalid when the address is a name that is no literal.
[[nodiscard]] Endpoint to_endpoint(const Address& address) noexcept;

/// What encode_address writes: 7, 19 or 4 + name.
[[nodiscard]] std::size_t address_size(const Destination& to) noexcept;
[[nodiscard]] std::size_t address_size(const Endpoint& at) noexcept;
/// The name when it is known, else the address. Needs one of them.
void encode_address(const Destination& to, Writer& out) noexcept;
/// An invalid ip is written as 0.0.0.0.
void encode_address(const Endpoint& at, Writer& out) noexcept;

}  // namespace sluice::socks
