// dns/message/edns.h - the OPT record, RFC 6891 section 6.1.
//
//   root name(1) | type 41 | udp size(2) | upper rcode(1) version(1) flags(2) | size(2) | options
#pragma once

#include <cstddef>
#include <cstdint>

#include "controlplane/dns/message/message.h"
#include "proto/common/cursor.h"

namespace sluice::dns {

struct Edns {
  std::uint16_t udp_size = 0;
  std::uint8_t upper_rcode = 0;  ///< bits 4..11 of the rcode
  std::uint8_t version = 0;
  bool dnssec_ok = false;
};

/// Bytes that write_edns() writes: we send no options.
inline constexpr std::size_t kEdnsSize = 11;

/// From a record of type OPT.
[[nodiscard]] inline Edns edns_from(const Record& opt) noexcept {
  return {opt.klass, static_cast<std::uint8_t>(opt.ttl >> 24),
          static_cast<std::uint8_t>(opt.ttl >> 16), (opt.ttl & 0x8000) != 0};
}

inline void write_edns(Writer& out, const Edns& edns) noexcept {
  out.u8(0);
  out.u16be(type::kOpt);
  out.u16be(edns.udp_size);
  out.u8(edns.upper_rcode);
  out.u8(edns.version);
  out.u16be(edns.dnssec_ok ? 0x8000 : 0);
  out.u16be(0);
}

}  // namespace sluice::dns
