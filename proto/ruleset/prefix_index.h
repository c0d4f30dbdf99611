// ruleset/prefix_index.h - longest-prefix answers for keys of 32 or 128 bits.
//
// Prefixes nest. The set is flattened into disjoint ranges; each range names its innermost prefix
// (a node), each node its next outer one, and every node lists the positions of its lines:
//
//   10.0.0.0/8 (lines 4, 9)      ranges:  0     10.0    10.7    10.8    11.0
//     10.7.0.0/16 (line 2)       nodes:   none  /8      /16     /8      none
//                                parent(/16) = /8
//
// All matching lines of a key are the lists of one short chain, so the index needs no memory per
// key and answers "first line at or after p" by walking it. The range is found through buckets: the
// key's distance from the first boundary, shifted, indexes a table, and a binary search over the
// one or two ranges of that bucket ends it.
//
// Ports, networks and kinds of inbound are prefixes as well: 16 and 8 bits at the top of a 32-bit
// key. Thread: immutable view; the block must outlive it.
#pragma once

#include <compare>
#include <cstdint>
#include <expected>

#include "proto/common/address.h"
#include "proto/ruleset/format.h"

namespace sluice::ruleset {

/// An IPv6 address as a number.
struct Key128 {
  std::uint64_t high = 0;
  std::uint64_t low = 0;
  friend auto operator<=>(const Key128&, const Key128&) = default;
};

[[nodiscard]] constexpr std::uint64_t bucket_key(std::uint32_t key) noexcept {
  return key;
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

/// Key is std::uint32_t or Key128.
template <class Key>
class PrefixIndex {
 public:
  /// An index without prefixes: every key answers kNone.
  PrefixIndex() noexcept = default;
  /// Checks every offset, order and bound of the section (its offset in the block only makes
  /// messages better). `line_count` bounds the positions.
  static std::expected<PrefixIndex, Invalid> open(ByteView section, std::size_t offset,
                                                  std::uint32_t line_count);

  /// The innermost prefix that holds `key`; kNone when none does.
  [[nodiscard]] std::uint32_t find(Key key) const noexcept;
  /// First position >= from on the chain of `node` (which may be kNone).
  [[nodiscard]] std::uint32_t next(std::uint32_t node, std::uint32_t from) const noexcept;
  /// Smallest position of all.
  [[nodiscard]] std::uint32_t first_position() const noexcept { return first_position_; }
  [[nodiscard]] std::uint32_t prefix_count() const noexcept { return node_count_; }

 private:
  struct Node {
    std::uint32_t parent, first, count;
  };
  [[nodiscard]] Key start(std::size_t range) const noexcept;
  [[nodiscard]] Node node(std::uint32_t index) const noexcept;
  [[nodiscard]] std::uint32_t bucket_of(Key key) const noexcept;
  [[nodiscard]] const char* check_ranges() const noexcept;
  [[nodiscard]] const char* check_buckets() const noexcept;
  const char* check_nodes(std::uint32_t line_count);

  std::uint64_t base_ = 0;
  std::uint32_t shift_ = 0;
  std::uint32_t bucket_count_ = 0;
  std::uint32_t range_count_ = 0;
  std::uint32_t node_count_ = 0;
  std::uint32_t first_position_ = kNone;
  Words buckets_;
  const std::byte* starts_ = nullptr;
  Words range_nodes_;
  Words nodes_;
  Words positions_;
};

extern template class PrefixIndex<std::uint32_t>;
extern template class PrefixIndex<Key128>;

}  // namespace sluice::ruleset
