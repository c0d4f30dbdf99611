// ruleset/format.h - the frame of a rule-set block. Everything is little endian, read through
// memcpy; docs/formats/ruleset.md describes it with the sections.
//
//   header (48)                             section table            sections
//   magic(8) version(2) header_size(2)      n x { kind(4)            8-aligned, in table
//   section_count(4) block_size(8)                first_ref(4)       order, without gaps
//   line_count(4) position_count(4)               offset(8)          but for zero padding
//   checksum(8) set_count(4) zero(4)              size(8) }
//
// Words. Line: a rule as the user wrote it. Position: a place in the expanded order; most lines
// have one. Ref: what an index's lists hold: a position p < position_count, or position_count + s
// for set s that stands inside conditions. Lists ascend, so the walk over positions stops at the
// first ref that is none, and "does set s hold this flow" is the question for one ref.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "proto/common/cursor.h"

namespace sluice::ruleset {

inline constexpr std::string_view kMagic = "SLUICERS";
inline constexpr std::uint16_t kFormatVersion = 4;
inline constexpr std::size_t kHeader_bytes = 48;
inline constexpr std::size_t kSectionEntry_bytes = 24;
inline constexpr std::size_t kChecksumOffset = 32;
inline constexpr std::size_t kSectionAlign = 8;

/// "No position", "no node": larger than every real one.
inline constexpr std::uint32_t kNone = 0xffffffffU;

/// One kind of key, and one merged index over all lines that have it. Values are the section kinds
/// of the format: never reused, only added to.
enum class Index : std::uint8_t {
  names = 0,                 ///< DOMAIN, DOMAIN-SUFFIX, labels of domain lists
  keywords = 1,              ///< DOMAIN-KEYWORD; literals of wildcards and regexes
  destination_v4 = 2,        ///< IP-CIDR, GEOIP, IP-ASN
  destination_v6 = 3,        ///< IP-CIDR6, GEOIP, IP-ASN
  source_v4 = 4,             ///< SRC-IP-CIDR, SRC-GEOIP, SRC-IP-ASN, anything with src
  source_v6 = 5,             ///< the same
  destination_port = 6,      ///< DST-PORT
  source_port = 7,           ///< SRC-PORT
  network = 8,               ///< NETWORK
  in_type = 9,               ///< IN-TYPE
  always = 10,               ///< MATCH; conditions that nothing else leads to
  destination_tail_v4 = 11,  ///< IP-SUFFIX: prefixes of addresses written backwards
  destination_tail_v6 = 12,  ///< the same
  source_tail_v4 = 13,       ///< SRC-IP-SUFFIX
  source_tail_v6 = 14,       ///< the same
  in_port = 15,              ///< IN-PORT
  dscp = 16,                 ///< DSCP
  source_mac = 17,           ///< SRC-MAC
  user = 18,                 ///< IN-USER
  inbound_name = 19,         ///< IN-NAME
  rematch_name = 20,         ///< REMATCH-NAME
  owner = 21,                ///< UID, PROCESS-*: asked of flows that this machine started
};
inline constexpr std::size_t kIndexCount = 22;

/// How an index is stored, see docs/formats/ruleset.md.
enum class Shape : std::uint8_t { names, keywords, prefixes32, prefixes128, words, list };
[[nodiscard]] constexpr Shape shape_of(Index index) noexcept {
  switch (index) {
    case Index::names:
      return Shape::names;
    case Index::keywords:
      return Shape::keywords;
    case Index::destination_v6:
    case Index::source_v6:
    case Index::destination_tail_v6:
    case Index::source_tail_v6:
      return Shape::prefixes128;
    case Index::source_mac:
    case Index::user:
    case Index::inbound_name:
    case Index::rematch_name:
      return Shape::words;
    case Index::always:
    case Index::owner:
      return Shape::list;
    default:
      return Shape::prefixes32;
  }
}

// Section kinds that are no indexes.
inline constexpr std::uint32_t kResolveSection = 64;  ///< positions that ask for an address
inline constexpr std::uint32_t kSlotSection = 65;     ///< lines of the positions
inline constexpr std::uint32_t kProgramSection = 66;  ///< conditions
inline constexpr std::uint32_t kSetSection = 67;      ///< which indexes hold each set
inline constexpr std::uint32_t kPatternSection = 68;  ///< regular expressions
inline constexpr std::uint32_t kZoneSection = 69;     ///< time zones
inline constexpr std::uint32_t kGroupSection = 70;    ///< SUB-RULEs around positions
inline constexpr std::uint32_t kEntrySection = 71;    ///< where other lists than the first begin

/// Short name for traces: "names", "destination addresses". Static storage.
[[nodiscard]] std::string_view describe(Index index) noexcept;

/// Why a block is refused. `reason` is a phrase in static storage.
struct Invalid {
  std::string_view reason;
  std::size_t offset = 0;  ///< byte of the block where it was seen (start of the array, or item)
};

[[nodiscard]] inline std::uint16_t load_u16(const std::byte* at) noexcept {
  std::uint16_t value = 0;
  std::memcpy(&value, at, sizeof value);
  if constexpr (std::endian::native == std::endian::big) value = __builtin_bswap16(value);
  return value;
}
[[nodiscard]] inline std::uint32_t load_u32(const std::byte* at) noexcept {
  std::uint32_t value = 0;
  std::memcpy(&value, at, sizeof value);
  if constexpr (std::endian::native == std::endian::big) value = __builtin_bswap32(value);
  return value;
}
[[nodiscard]] inline std::uint64_t load_u64(const std::byte* at) noexcept {
  std::uint64_t value = 0;
  std::memcpy(&value, at, sizeof value);
  if constexpr (std::endian::native == std::endian::big) value = __builtin_bswap64(value);
  return value;
}

/// An array of 32-bit numbers inside a block; bounds are the validator's business.
class Words {
 public:
  Words() noexcept = default;
  explicit Words(ByteView bytes) noexcept
      : at_(bytes.data()), count_(static_cast<std::uint32_t>(bytes.size() / 4)) {}
  [[nodiscard]] std::uint32_t size() const noexcept { return count_; }
  [[nodiscard]] std::uint32_t operator[](std::size_t index) const noexcept {
    return load_u32(at_ + 4 * index);
  }

 private:
  const std::byte* at_ = nullptr;
  std::uint32_t count_ = 0;
};

/// Smallest of the ascending words [first, first + count) that is >= from; kNone when there is
/// none.
[[nodiscard]] inline std::uint32_t first_at_least(const Words& words, std::uint32_t first,
                                                  std::uint32_t count,
                                                  std::uint32_t from) noexcept {
  const std::uint32_t end = first + count;
  while (count > 0) {
    const std::uint32_t half = count / 2;
    if (words[first + half] < from) {
      first += half + 1;
      count -= half + 1;
    } else {
      count = half;
    }
  }
  return first == end ? kNone : words[first];
}

/// A list inside a section's pool of words: count | refs, ascending.
[[nodiscard]] inline std::uint32_t first_in_list(const Words& words, std::uint32_t list,
                                                 std::uint32_t from) noexcept {
  return first_at_least(words, list + 1, words[list], from);
}

/// True when [first, first + count) ascends strictly and stays below `bound`.
[[nodiscard]] bool is_ascending(const Words& words, std::uint32_t first, std::uint32_t count,
                                std::uint32_t bound) noexcept;

/// The checksum of a block of at least kHeader_bytes; the stored one is not read. Detects damage,
/// not malice: a hostile block is refused by the validator.
[[nodiscard]] std::uint64_t checksum(ByteView block) noexcept;

}  // namespace sluice::ruleset
