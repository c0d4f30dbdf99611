// ruleset/prefix_index.h - longest-prefix answers for keys of 32 or 128 bits.
//
// Prefixes nest. The set is flattened into disjoint ranges; each range names its innermost prefix
// (a node), each node its next outer one and the refs of its lines:
//
//   10.0.0.0/8 (lines 4, 9)      boundaries:    10.0    10.7    10.8    11.0
//     10.7.0.0/16 (line 2)       nodes:   none   | /8   | /16   | /8    | none
//                                parent(/16) = /8
//
// All matching lines of a key are the lists of one short chain, so the index needs no memory per
// key and answers "first ref at or after p" by walking it. Nodes with the same refs and the same
// outer node are one: the prefixes of one set need 2 boundaries each and nothing else.
//
// The range is found through buckets: the key's distance from a base, shifted, indexes a table, and
// a binary search over the few boundaries of that bucket ends it. IPv6 prefixes crowd into the
// blocks of few registries, so wide keys have one base and table per block (a segment): the top 12
// bits choose it.
//
// Ports, networks, DSCP values and kinds of inbound are prefixes as well: 16 and 8 bits at the top
// of a 32-bit key. Suffix masks are prefixes of addresses written backwards. Thread: immutable
// view; the block must outlive it.
#pragma once

#include <compare>
#include <cstdint>
#include <expected>

#include "proto/common/address.h"
#include "proto/ruleset/format.h"
#include "proto/ruleset/shared_lists.h"

namespace sluice::ruleset {

/// An IPv6 address as a number.
struct Key128 {
  std::uint64_t high = 0;
  std::uint64_t low = 0;
  friend auto operator<=>(const Key128&, const Key128&) = default;
};

/// The top 64 bits, which buckets go by.
[[nodiscard]] constexpr std::uint64_t bucket_key(std::uint32_t key) noexcept {
  return static_cast<std::uint64_t>(key) << 32U;
}
[[nodiscard]] constexpr std::uint64_t bucket_key(Key128 key) noexcept {
  return key.high;
}

[[nodiscard]] constexpr std::uint32_t port_key(std::uint16_t port) noexcept {
  return static_cast<std::uint32_t>(port) << 16U;
}
[[nodiscard]] constexpr std::uint32_t code_key(std::uint8_t code) noexcept {
  return static_cast<std::uint32_t>(code) << 24U;
}
/// Needs a v6 address.
[[nodiscard]] Key128 v6_key(const IpAddress& address) noexcept;
/// Bit 0 becomes the top one.
[[nodiscard]] std::uint32_t reversed(std::uint32_t key) noexcept;
[[nodiscard]] Key128 reversed(Key128 key) noexcept;
/// Without what lies behind the first `length` (0..128) bits.
[[nodiscard]] constexpr Key128 masked(Key128 key, unsigned length) noexcept {
  constexpr std::uint64_t ones = ~0ULL;
  if (length == 0) return {};
  if (length <= 64) return {key.high & (ones << (64 - length)), 0};
  return {key.high, key.low & (ones << (128 - length))};
}

/// Key is std::uint32_t or Key128.
template <class Key>
class PrefixIndex {
 public:
  inline static constexpr unsigned kDirectoryBits = 12;
  inline static constexpr std::uint32_t kDirectory_cells = 1U << kDirectoryBits;
  inline static constexpr std::uint32_t kReferenceList = 1U << 31U;  ///< else the ref itself

  /// An index without prefixes: every key answers kNone.
  PrefixIndex() noexcept = default;
  /// Checks every offset, order and bound of the section (its offset in the block only makes
  /// messages better). `bound` bounds the refs.
  static std::expected<PrefixIndex, Invalid> open(ByteView section, std::size_t offset,
                                                  std::uint32_t bound);

  /// The innermost prefix that holds `key`; kNone when none does.
  [[nodiscard]] std::uint32_t find(Key key) const noexcept;
  /// First ref >= from on the chain of `node` (which may be kNone).
  [[nodiscard]] std::uint32_t next(std::uint32_t node, std::uint32_t from) const noexcept;
  /// Smallest ref of all.
  [[nodiscard]] std::uint32_t first_ref() const noexcept { return first_ref_; }
  [[nodiscard]] std::uint32_t boundary_count() const noexcept { return boundary_count_; }

 private:
  struct Segment {
    std::uint64_t base;
    std::uint32_t shift, first_bucket, bucket_count;
  };
  [[nodiscard]] Segment segment(std::uint32_t index) const noexcept;
  [[nodiscard]] std::uint32_t segment_of(std::uint64_t key) const noexcept;
  [[nodiscard]] std::uint32_t node_of(std::uint32_t range) const noexcept;
  [[nodiscard]] bool at_or_below(const Segment& s, std::uint32_t boundary, Key key) const noexcept;
  [[nodiscard]] Key boundary(const Segment& s, std::uint32_t index) const noexcept;
  [[nodiscard]] bool read_arrays(ByteView section);
  [[nodiscard]] const char* check_segments() const noexcept;
  [[nodiscard]] const char* check_boundaries() const noexcept;
  const char* check_nodes(std::uint32_t bound);

  std::uint32_t boundary_count_ = 0;
  std::uint32_t node_count_ = 0;
  std::uint32_t segment_count_ = 0;
  std::uint32_t bucket_count_ = 0;
  std::uint32_t first_ref_ = kNone;
  std::uint8_t key_bytes_ = 0;            ///< of a boundary: 2 or 4; 8 or 16
  std::uint8_t node_bytes_ = 0;           ///< 1, 2 or 4
  const std::byte* directory_ = nullptr;  // u16 per cell; only with more than one segment
  const std::byte* segments_ = nullptr;
  Words buckets_;  // boundaries below each bucket, all segments one after the other
  const std::byte* boundaries_ = nullptr;
  const std::byte* range_nodes_ = nullptr;  // of range i, below boundary i; node + 1 or 0
  Words nodes_;                             // pairs: parent, reference
  Words lists_;
};

extern template class PrefixIndex<std::uint32_t>;
extern template class PrefixIndex<Key128>;

}  // namespace sluice::ruleset
