// dns/message/message.h - the parts of a DNS message, RFC 1035 section 4.
//
//   Header(12) | Question: name, type, class | records of answer, authority, additional
//   record: name | type(2) | class(2) | ttl(4) | size(2) | data
//
// Pure functions over the message's bytes: no allocation, views die with the input.
#pragma once

#include <cstddef>
#include <cstdint>

#include "controlplane/dns/message/wire_name.h"
#include "proto/common/cursor.h"
#include "proto/common/result.h"

namespace sluice::dns {

inline constexpr std::size_t kHeaderSize = 12;

/// Numbers of the IANA registry "DNS Parameters".
namespace type {
inline constexpr std::uint16_t kA = 1, kNs = 2, kCname = 5, kSoa = 6, kPtr = 12, kMx = 15,
                               kTxt = 16, kAaaa = 28, kSrv = 33, kOpt = 41, kSvcb = 64, kHttps = 65,
                               kIxfr = 251, kAxfr = 252, kAny = 255;
}  // namespace type
inline constexpr std::uint16_t kClassIn = 1;
namespace rcode {
inline constexpr std::uint8_t kNoError = 0, kFormatError = 1, kServerFailure = 2, kNameError = 3,
                              kNotImplemented = 4, kRefused = 5;
/// Needs EDNS0: the upper bits travel in the OPT record, RFC 6891 section 6.1.3.
inline constexpr std::uint16_t kBadVersion = 16;
}  // namespace rcode

struct Header {
  std::uint16_t id = 0;
  bool response = false;       ///< QR
  std::uint8_t opcode = 0;     ///< 0 = query
  bool authoritative = false;  ///< AA
  bool truncated = false;      ///< TC
  bool recursion_desired = false;
  bool recursion_available = false;
  bool authentic = false;          ///< AD
  bool checking_disabled = false;  ///< CD
  std::uint8_t rcode = 0;
  std::uint16_t questions = 0;
  std::uint16_t answers = 0;
  std::uint16_t authorities = 0;
  std::uint16_t additionals = 0;
};

/// Errors: truncated.
[[nodiscard]] Result<Header> decode_header(ByteView message) noexcept;
void encode_header(Writer& out, const Header& header) noexcept;

struct Question {
  WireName name;
  std::uint16_t type = 0;
  std::uint16_t klass = kClassIn;
  friend bool operator==(const Question&, const Question&) = default;
};
/// Moves `at` behind the question. Errors: truncated, malformed.
[[nodiscard]] Result<Question> read_question(ByteView message, std::size_t& at) noexcept;
void write_question(Writer& out, const Question& question) noexcept;
[[nodiscard]] inline std::size_t wire_size(const Question& question) noexcept {
  return question.name.size() + 4;
}

enum class Section : std::uint8_t { answer, authority, additional };

struct Record {
  Section section = Section::answer;
  WireName owner;
  std::uint16_t type = 0;
  std::uint16_t klass = kClassIn;
  std::uint32_t ttl = 0;    ///< seconds; above 2^31 - 1 counts as 0, RFC 2181 section 8
  std::size_t data_at = 0;  ///< offset of the data in the message: names in it may point back
  ByteView data;
};

/// Goes through the records behind the question. Sticks on the first error.
class RecordWalker {
 public:
  /// `at`: where the records begin.
  RecordWalker(ByteView message, const Header& header, std::size_t at) noexcept;
  /// False at the end. Errors: truncated, malformed.
  [[nodiscard]] Result<bool> next(Record& out) noexcept;

 private:
  ByteView message_;
  std::size_t at_;
  std::uint16_t left_[3];
  std::uint8_t section_ = 0;
};

}  // namespace sluice::dns
