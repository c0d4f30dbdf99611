// dns/message/query.h - what a client asks, checked, and whether it deserves an answer at all.
#pragma once

#include <cstddef>
#include <cstdint>

#include "controlplane/dns/message/message.h"
#include "proto/common/cursor.h"

namespace sluice::dns {

enum class Transport : std::uint8_t { udp, tcp };

/// Plain value; needs nothing of the packet it was read from.
struct Query {
  std::uint16_t id = 0;
  std::uint8_t opcode = 0;
  bool recursion_desired = false;
  bool checking_disabled = false;
  bool has_question = false;
  Question question;  ///< in the client's case, which the reply repeats
  bool has_edns = false;
  bool dnssec_ok = false;        ///< the DO bit
  std::uint16_t udp_size = 512;  ///< what the client takes over UDP; at least 512
};

enum class Verdict : std::uint8_t {
  serve,
  drop,             ///< a runt, or a response: answering could loop or amplify
  format_error,     ///< counts or bytes that make no sense
  not_implemented,  ///< opcode other than QUERY
  refused,          ///< class other than IN, zone transfer
  bad_version,      ///< EDNS above 0
};

/// Fills `out` as far as the bytes allow; the id is right for every verdict but drop.
[[nodiscard]] Verdict read_query(ByteView message, Query& out) noexcept;

/// The largest reply that may be sent: 512, the client's EDNS0 size up to kUdpReplySize, or a whole
/// TCP frame.
[[nodiscard]] std::size_t reply_limit(const Query& query, Transport transport) noexcept;

/// A query of ours to an upstream, with an OPT record when `edns`. Needs room for kMaxQuery bytes;
/// returns the size.
inline constexpr std::size_t kMaxQuery = kHeaderSize + kMaxWireName + 4 + 11;
[[nodiscard]] std::size_t write_query(const Query& query, bool edns, ByteSpan out) noexcept;

}  // namespace sluice::dns
