// dns/message/reply.h - a client's reply, cut from an Answer.
//
// Always: QR and RA set, id, opcode, RD, CD and the question repeated, OPT last when the client
// sent one. When records do not fit, whole ones are left out from the end: TC is set unless only
// additional ones are missing (RFC 2181 section 9).
#pragma once

#include <cstddef>
#include <cstdint>

#include "controlplane/dns/message/answer.h"
#include "controlplane/dns/message/query.h"

namespace sluice::dns {

/// How the TTLs of an answer become those of a reply.
struct TtlPolicy {
  std::uint32_t age_s = 0;           ///< subtracted
  std::uint32_t cap_s = UINT32_MAX;  ///< then at most this
};

/// Smallest room that write_reply() and write_error() need.
inline constexpr std::size_t kMinReplyRoom = kMaxQuery;

/// Writes at most min(limit, out.size()) bytes; needs kMinReplyRoom. Returns the size.
[[nodiscard]] std::size_t write_reply(const Query& query, const Answer& answer, TtlPolicy ttl,
                                      std::size_t limit, ByteSpan out) noexcept;
/// A reply without records. `code` may exceed 15 only when the query had EDNS0.
[[nodiscard]] std::size_t write_error(const Query& query, std::uint16_t code,
                                      ByteSpan out) noexcept;
/// The reply that a verdict other than serve asks for; 0 = none.
[[nodiscard]] std::size_t write_verdict(const Query& query, Verdict verdict, ByteSpan out) noexcept;

}  // namespace sluice::dns
