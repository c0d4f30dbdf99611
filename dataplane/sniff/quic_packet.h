// sniff/quic_packet.h - long header packets of QUIC 1 and 2 (RFC 9000 section 17.2, RFC 9369).
//
//   first(1) version(4) | dcid | scid | [token: Initial] | size | number, protected | payload
#pragma once

#include <cstdint>

#include "proto/common/cursor.h"
#include "proto/common/result.h"

namespace sluice::sniff {

enum class QuicVersion : std::uint32_t { v1 = 1, v2 = 0x6b3343cf };

inline constexpr std::size_t kMaxConnectionId = 20;

struct LongPacket {
  enum class Type : std::uint8_t { initial, zero_rtt, handshake, retry };
  QuicVersion version = QuicVersion::v1;
  Type type = Type::initial;
  ByteView dcid;              ///< 0..kMaxConnectionId bytes
  ByteView bytes;             ///< the whole packet
  std::size_t number_at = 0;  ///< where the packet number lies in it
};

/// The first byte is that of a long header. The fixed bit is not asked for: it may be greased
/// (RFC 9287).
[[nodiscard]] inline bool is_long_header(ByteView packet) noexcept {
  return !packet.empty() && (packet.front() & std::byte{0x80}) != std::byte{};
}

/// A variable-length integer, RFC 9000 section 16; short in the reader's way.
std::uint64_t read_varint(Reader& in) noexcept;

/// The first packet of a datagram's `rest`, taken off it: several may be coalesced. Errors:
/// unsupported (a short header, another version), malformed (sizes that do not fit).
Result<LongPacket> take_packet(ByteView& rest) noexcept;

}  // namespace sluice::sniff
