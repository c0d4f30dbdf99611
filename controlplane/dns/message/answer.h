// dns/message/answer.h - what is known about one question, in the form that replies are cut from.
//
//   reply:  Header | Question (client's case) | body: records, TTLs counted down | OPT
//
// `body` holds whole records whose owner names may point into the question or back into the body:
// both stand at the same offsets in every reply to this question. Names inside record data are
// written out, so nothing of the upstream's layout (pointers, OPT, order) reaches a client.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "controlplane/dns/message/message.h"
#include "proto/common/address.h"
#include "proto/common/result.h"

namespace sluice::dns {

/// Immutable once built; shared by the cache and by replies that are being written.
struct Answer {
  std::uint8_t rcode = rcode::kNoError;
  std::array<std::uint16_t, 3> counts{};  ///< records per section
  std::vector<std::byte> body;
  std::uint32_t ttl_s = 0;  ///< how long it may be kept; 0 = not at all
};

/// Builds an Answer record by record, sections in ascending order.
class AnswerBuilder {
 public:
  /// `question`: the one the answer will stand behind.
  explicit AnswerBuilder(const Question& question);

  void set_rcode(std::uint8_t value) noexcept { answer_.rcode = value; }
  /// Names in `data` must be uncompressed. Records that would not fit a TCP frame are left out.
  void add(Section section, const WireName& owner, std::uint16_t type, std::uint32_t ttl_s,
           ByteView data, std::uint16_t klass = kClassIn);
  void add_address(const WireName& owner, const IpAddress& address, std::uint32_t ttl_s);
  void add_name(const WireName& owner, std::uint16_t type, const WireName& target,
                std::uint32_t ttl_s);
  /// A record of a received message: names inside its data are written out. OPT, TSIG and SIG(0)
  /// belong to the hop, not to the answer, and are left out. Errors: truncated, malformed.
  Status add_received(ByteView message, const Record& record);
  /// Every record of another answer to `other_question`. Errors: malformed.
  Status add_all(const Question& other_question, const Answer& other);

  /// Counts and TTL (the least of all records; negative answers: RFC 2308 section 5) are set.
  [[nodiscard]] Answer finish() &&;

 private:
  void put_owner(const WireName& owner);
  [[nodiscard]] bool tail_equals(std::size_t at, ByteView tail) const noexcept;
  void remember_labels(std::size_t at, std::size_t end);

  Question question_;
  std::size_t body_at_;               // offset of the body in a reply
  std::vector<std::uint16_t> known_;  // offsets in a reply where a written name or tail begins
  Answer answer_;
  std::uint32_t least_ttl_s_;
  std::uint32_t negative_ttl_s_ = 0;
};

/// Goes through the records of an answer; `question` is the one it belongs to. Owner names are
/// read only when asked for. Errors never happen with an Answer that a builder made.
class AnswerWalker {
 public:
  explicit AnswerWalker(const Answer& answer) noexcept : answer_(answer) {}

  struct Entry {
    Section section = Section::answer;
    std::size_t at = 0;      ///< offset of the record in the body
    std::size_t ttl_at = 0;  ///< offset of its TTL
    std::size_t end = 0;     ///< offset behind the record
    std::uint16_t type = 0;
    ByteView data;
  };
  [[nodiscard]] bool next(Entry& out) noexcept;

 private:
  const Answer& answer_;
  std::size_t at_ = 0;
  std::uint8_t section_ = 0;
  std::uint16_t done_ = 0;
};

/// The A and AAAA records of the answer section, in order.
[[nodiscard]] std::vector<IpAddress> addresses_of(const Answer& answer);

/// What an upstream said.
struct Received {
  Answer answer;
  std::uint16_t full_rcode = 0;  ///< with the upper bits of OPT
  bool truncated = false;        ///< TC: ask again over TCP
  bool had_edns = false;
};
/// True when `message` is a response with this id to exactly this question (RFC 5452 section 9.1).
[[nodiscard]] bool answers_query(ByteView message, std::uint16_t id,
                                 const Question& question) noexcept;
/// Of a message that answers_query() accepted. Errors: truncated, malformed.
[[nodiscard]] Result<Received> decode_answer(ByteView message, const Question& question);

}  // namespace sluice::dns
