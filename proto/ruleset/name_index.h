// ruleset/name_index.h - names and suffixes in one hash table over label-wise hashes.
//
//   www.shop.example.test     one pass from the right hashes every suffix that starts a label:
//            "test", "example.test", "shop.example.test", the whole name
//   probe, longest first      8 one-byte fingerprints per bucket, compared in one 64-bit word; only
//                             a fingerprint that agrees touches the bucket's record, where sizes,
//                             references and names of the bucket lie together
//   first hit                 its reference; one that is nested also names the slot of the next
//                             shorter suffix that reaches below itself
//
// An entry says for which names below it holds, as three bits: the name itself, one label below,
// more than one below. DOMAIN is the first, DOMAIN-SUFFIX all three.
//
// Found names are compared byte by byte: a hash never decides. Thread: immutable view; the block
// must outlive it.
#pragma once

#include <array>
#include <cstdint>
#include <expected>
#include <string_view>

#include "proto/common/name.h"
#include "proto/ruleset/format.h"
#include "proto/ruleset/shared_lists.h"

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

// How a name lies below an entry.
inline constexpr std::uint8_t kWhole = 1;
inline constexpr std::uint8_t kChild = 2;   ///< one label below
inline constexpr std::uint8_t kDeeper = 4;  ///< more than one
inline constexpr unsigned kRelationBits = 3;

class NameIndex {
 public:
  inline static constexpr std::uint32_t kSlots = 8;  ///< of one bucket
  /// A bucket's record in the pool: sizes(8 x 1), then a reference(4) for each name, then the
  /// names. Names take the slots of a bucket from the first on.
  inline static constexpr std::uint32_t kSizes_bytes = 8;
  /// A reference is ref << 3 | relations, or with kListBit the offset of a list of such words, or
  /// with kNestedBit the number of a nested record.
  inline static constexpr std::uint32_t kListBit = 1U << 31U;
  inline static constexpr std::uint32_t kNestedBit = 1U << 30U;
  /// Of a nested record's first word: the outer name is exactly one label shorter.
  inline static constexpr std::uint32_t kParentBit = 1U << 31U;

  /// What a name found: a slot, and how the name lies below it.
  struct Found {
    std::uint32_t slot = kNone;
    std::uint8_t relation = 0;
  };

  NameIndex() noexcept = default;
  /// Checks every offset, reference and chain, and that every name can be found where it lies.
  static std::expected<NameIndex, Invalid> open(ByteView section, std::size_t offset,
                                                std::uint32_t bound);

  /// `name` in normal form, or empty (finds nothing).
  [[nodiscard]] Found find(std::string_view name) const noexcept;
  [[nodiscard]] std::uint32_t next(Found found, std::uint32_t from) const noexcept;
  [[nodiscard]] std::uint32_t first_ref() const noexcept { return first_ref_; }
  [[nodiscard]] std::uint32_t name_count() const noexcept { return name_count_; }

 private:
  [[nodiscard]] const std::byte* record(std::uint32_t bucket) const noexcept {
    return pool_.data() + records_[bucket];
  }
  void fetch_record(std::uint32_t bucket) const noexcept;
  [[nodiscard]] std::uint32_t probe(std::uint64_t hash, std::string_view name) const noexcept;
  [[nodiscard]] std::string_view name_at(std::uint32_t slot) const noexcept;
  [[nodiscard]] std::uint32_t reference(std::uint32_t slot) const noexcept {
    const std::size_t lane = slot % kSlots;
    return load_u32(record(slot / kSlots) + kSizes_bytes + 4 * lane);
  }
  [[nodiscard]] std::uint32_t next_of(std::uint32_t reference, std::uint8_t relation,
                                      std::uint32_t from) const noexcept;
  [[nodiscard]] const char* check_bucket(std::uint32_t index, std::uint32_t& used) const;
  [[nodiscard]] const char* check_slot(std::uint32_t slot) const;
  const char* check_reference(std::uint32_t slot, std::uint32_t bound, const ListStarts& lists);
  const char* check_plain(std::uint32_t reference, std::uint32_t bound, const ListStarts& lists);
  [[nodiscard]] const char* check_outer(std::uint32_t slot, std::uint32_t word) const;

  std::uint64_t seed_ = 0;
  std::uint64_t label_counts_ = 0;  ///< bit n - 1: some name has n labels; bit 63: 64 and more
  std::uint32_t bucket_count_ = 0;
  std::uint32_t name_count_ = 0;
  std::uint32_t probe_count_ = 0;
  std::uint32_t first_ref_ = kNone;
  const std::byte* fingerprints_ = nullptr;
  Words records_;  // offset in the pool, by bucket
  Words nested_;   // pairs: outer slot | kParentBit, reference
  Words lists_;
  ByteView pool_;
};

/// Bit of `label_counts` for a name of `labels`.
[[nodiscard]] constexpr std::uint64_t label_bit(std::uint32_t labels) noexcept {
  return 1ULL << (labels < 64 ? labels - 1 : 63);
}

}  // namespace sluice::ruleset
