// sniff/stun.h - a STUN message (RFC 8489 section 5), as calls and TURN begin.
//
//   0 0 type(14 bits) | size(2, of the attributes) | magic cookie(4) | transaction(12) | attributes
#pragma once

#include "proto/common/cursor.h"

namespace sluice::sniff {

/// One whole message that fills the datagram and has the magic cookie, which RFC 3489 lacked.
[[nodiscard]] inline bool is_stun(ByteView datagram) noexcept {
  constexpr std::uint32_t kMagicCookie = 0x2112a442;
  Reader in{datagram};
  const std::uint16_t type = in.u16be();
  const std::size_t size = in.u16be();
  const std::uint32_t cookie = in.u32be();
  in.skip(12);
  return !in.short_read() && (type & 0xc000) == 0 && cookie == kMagicCookie && size % 4 == 0 &&
         size == in.left();
}

}  // namespace sluice::sniff
