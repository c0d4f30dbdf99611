// ruleset/format.h - the frame of a rule-set block. Everything is little endian, read through
// memcpy; docs/formats/ruleset.md describes it with the sections.
//
//   header (40)                             section table            sections
//   magic(8) version(2) header_size(2)      n x { kind(4)            8-aligned, in table
//   section_count(4) block_size(8)                first_position(4)  order, without gaps
//   line_count(4) zero(4) checksum(8)             offset(8)          but for zero padding
//                                                 size(8) }
//
// A position is a line's place in the user's list, counted from 0. The checksum covers all bytes
// but itself. A reader refuses a section kind it does not know: skipping one would change
// decisions.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "proto/common/cursor.h"

namespace sluice::ruleset {

inline constexpr std::string_view kMagic = "SLUICERS";
inline constexpr std::uint16_t kFormatVersion = 1;
inline constexpr std::size_t kHeader_bytes = 40;
inline constexpr std::size_t kSectionEntry_bytes = 24;
inline constexpr std::size_t kChecksumOffset = 32;
inline constexpr std::size_t kSectionAlign = 8;

/// "No position", "no node": larger than every real one.
inline constexpr std::uint32_t kNone = 0xffffffffU;

/// One kind of key, and one merged index over all lines that have it. Values are the section kinds
/// of the format: never reused, only added to.
enum class Index : std::uint8_t {
  names = 0,         ///< DOMAIN, DOMAIN-SUFFIX
  keywords = 1,      ///< DOMAIN-KEYWORD
  destination_v4,    ///< IP-CIDR
  destination_v6,    ///< IP-CIDR6
  source_v4,         ///< SRC-IP-CIDR, IP-CIDR with src
  source_v6,         ///< the same
  destination_port,  ///< DST-PORT
  source_port,       ///< SRC-PORT
  network,           ///< NETWORK
  in_type,           ///< IN-TYPE
  always,            ///< MATCH
};
inline constexpr std::size_t kIndexCount = 11;
/// Section kind of the lines that ask for an address: no index, a list of positions.
inline constexpr std::uint32_t kResolveSection = 64;

/// Short name for traces: "names", "destination addresses". Static storage.
[[nodiscard]] std::string_view describe(Index index) noexcept;

/// Why a block is refused. `reason` is a phrase in static storage.
struct Invalid {
  std::string_view reason;
  std::size_t offset = 0;  ///< byte of the block where it was seen (start of the array, or item)
};

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

/// True when [first, first + count) ascends strictly and stays below `bound`.
[[nodiscard]] bool is_ascending(const Words& words, std::uint32_t first, std::uint32_t count,
                                std::uint32_t bound) noexcept;

/// The checksum of a block of at least kHeader_bytes; the stored one is not read. Detects damage,
/// not malice: a hostile block is refused by the validator.
[[nodiscard]] std::uint64_t checksum(ByteView block) noexcept;

}  // namespace sluice::ruleset
