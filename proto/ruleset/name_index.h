// ruleset/name_index.h - exact names and suffixes in one hash table over label-wise hashes.
//
//   www.shop.example.test     one pass from the right hashes every suffix that starts a label:
//            "test", "example.test", "shop.example.test", the whole name
//   probe, longest first      8 one-byte fingerprints per bucket, compared in one 64-bit word; only
//                             a fingerprint that agrees touches the slot and compares the name
//   first hit                 its reference: one position, or a list that also names the slot of
//                             the next shorter suffix that has lines
//
// Found names are compared byte by byte: a hash never decides. Thread: immutable view; the block
// must outlive it.
#pragma once

#include <array>
#include <cstdint>
#include <expected>
#include <span>
#include <string_view>

#include "proto/common/name.h"
#include "proto/ruleset/format.h"

namespace sluice::ruleset {

/// Labels of the longest name: 127 of one byte.
inline constexpr std::size_t kMaxLabels = (kMaxName + 1) / 2;

/// Hashes of the suffixes of one name, shortest first.
struct SuffixHashes {
  std::uint32_t count;
  std::uint64_t hash[kMaxLabels];
  std::uint8_t start[kMaxLabels];  ///< where the suffix begins
  /// Hashes `name` (1..253 bytes); leaves unused items unset.
  SuffixHashes(std::string_view name, std::uint64_t seed) noexcept;
};

[[nodiscard]] constexpr std::uint32_t home_bucket(std::uint64_t hash,
                                                  std::uint32_t bucket_count) noexcept {
  return static_cast<std::uint32_t>(((hash >> 32U) * bucket_count) >> 32U);
}
/// Never 0: that marks a free slot.
[[nodiscard]] constexpr std::uint8_t fingerprint(std::uint64_t hash) noexcept {
  const auto low = static_cast<std::uint8_t>(hash);
  return low == 0 ? std::uint8_t{1} : low;
}

class NameIndex {
 public:
  inline static constexpr std::uint32_t kSlots = 8;             ///< of one bucket
  inline static constexpr std::uint32_t kListBit = 1U << 31U;   ///< reference: offset of a list
  inline static constexpr std::uint32_t kExactBit = 1U << 30U;  ///< reference: DOMAIN line

  /// What a name found: a slot, and whether it is the whole name or a suffix of it.
  struct Found {
    std::uint32_t slot = kNone;
    bool whole = false;
  };

  NameIndex() noexcept = default;
  /// Checks every offset, reference and chain, and that every name can be found where it lies.
  static std::expected<NameIndex, Invalid> open(ByteView section, std::size_t offset,
                                                std::uint32_t line_count);

  /// `name` in normal form, or empty (finds nothing).
  [[nodiscard]] Found find(std::string_view name) const noexcept;
  [[nodiscard]] std::uint32_t next(Found found, std::uint32_t from) const noexcept;
  [[nodiscard]] std::uint32_t first_position() const noexcept { return first_position_; }
  [[nodiscard]] std::uint32_t name_count() const noexcept { return name_count_; }

 private:
  [[nodiscard]] std::uint32_t probe(std::uint64_t hash, std::string_view name) const noexcept;
  [[nodiscard]] std::string_view name_at(std::uint32_t slot) const noexcept;
  [[nodiscard]] std::uint32_t reference(std::uint32_t slot) const noexcept {
    return slots_[2 * static_cast<std::size_t>(slot) + 1];
  }
  [[nodiscard]] const char* check_slot(std::uint32_t slot) const;
  const char* check_reference(std::uint32_t slot, std::uint32_t line_count);
  void note_first(std::uint32_t position) noexcept;

  std::uint64_t seed_ = 0;
  std::uint32_t bucket_count_ = 0;
  std::uint32_t name_count_ = 0;
  std::uint32_t probe_count_ = 0;
  std::uint32_t first_position_ = kNone;
  const std::byte* fingerprints_ = nullptr;
  Words slots_;  // pairs: offset in the pool, reference
  Words lists_;
  ByteView pool_;  // length(1) | name
};

}  // namespace sluice::ruleset
