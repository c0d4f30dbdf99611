// The look-up; prefix_check.cc holds the validation.
#include "proto/ruleset/prefix_index.h"

#include <algorithm>

#include "proto/ruleset/prefix_layout.h"

namespace sluice::ruleset {

Key128 v6_key(const IpAddress& address) noexcept {
  std::uint64_t words[2];
  std::memcpy(words, address.bytes().data(), sizeof words);
  if constexpr (std::endian::native == std::endian::little)
    return {__builtin_bswap64(words[0]), __builtin_bswap64(words[1])};
  return {words[0], words[1]};
}

std::uint32_t reversed(std::uint32_t key) noexcept {
  key = ((key >> 1U) & 0x55555555U) | ((key & 0x55555555U) << 1U);
  key = ((key >> 2U) & 0x33333333U) | ((key & 0x33333333U) << 2U);
  key = ((key >> 4U) & 0x0f0f0f0fU) | ((key & 0x0f0f0f0fU) << 4U);
  return __builtin_bswap32(key);
}

Key128 reversed(Key128 key) noexcept {
  const auto word = [](std::uint64_t v) {
    return static_cast<std::uint64_t>(reversed(static_cast<std::uint32_t>(v))) << 32U |
           reversed(static_cast<std::uint32_t>(v >> 32U));
  };
  return {word(key.low), word(key.high)};
}

template <class Key>
typename PrefixIndex<Key>::Segment PrefixIndex<Key>::segment(std::uint32_t index) const noexcept {
  const std::byte* const at = segments_ + static_cast<std::size_t>(index) * kSegment_bytes;
  return {load_u64(at), load_u32(at + 8), load_u32(at + 12), load_u32(at + 16)};
}

template <class Key>
std::uint32_t PrefixIndex<Key>::segment_of(std::uint64_t key) const noexcept {
  if constexpr (sizeof(Key) == 4) return 0;
  if (directory_ == nullptr) return 0;
  return load_u16(directory_ + 2 * (key >> (64 - kDirectoryBits)));
}

template <class Key>
std::uint32_t PrefixIndex<Key>::node_of(std::uint32_t range) const noexcept {
  if (node_bytes_ == 1) return std::to_integer<std::uint32_t>(range_nodes_[range]) - 1;
  if (node_bytes_ == 2) return load_u16(range_nodes_ + 2 * static_cast<std::size_t>(range)) - 1U;
  return load_u32(range_nodes_ + 4 * static_cast<std::size_t>(range)) - 1;
}

/// Whether a boundary of the key's own bucket is <= key. Two bytes hold what is below the bucket.
template <class Key>
bool PrefixIndex<Key>::at_or_below(const Segment& s, std::uint32_t index, Key key) const noexcept {
  const std::byte* const at = boundaries_ + static_cast<std::size_t>(index) * key_bytes_;
  if constexpr (sizeof(Key) == 4) {
    if (key_bytes_ == 4) return load_u32(at) <= key;
    const std::uint32_t below = key - static_cast<std::uint32_t>(s.base >> 32U);
    return load_u16(at) <= (below & low_mask(s.shift - 32));
  } else {
    if (key_bytes_ == 8) return load_u64(at) <= key.high;
    return Key128{load_u64(at), load_u64(at + 8)} <= key;
  }
}

template <class Key>
std::uint32_t PrefixIndex<Key>::find(Key key) const noexcept {
  if (node_count_ == 0) return kNone;
  const std::uint64_t k = bucket_key(key);
  const Segment s = segment(segment_of(k));
  if (k < s.base) return node_of(buckets_[s.first_bucket]);
  const std::uint64_t bucket = (k - s.base) >> s.shift;
  if (bucket >= s.bucket_count) return node_of(buckets_[s.first_bucket + s.bucket_count]);
  const std::size_t at = s.first_bucket + static_cast<std::size_t>(bucket);
  std::uint32_t low = buckets_[at];
  std::uint32_t count = buckets_[at + 1] - low;
  // Number of boundaries <= key.
  while (count > 0) {
    const std::uint32_t half = count / 2;
    if (at_or_below(s, low + half, key)) {
      low += half + 1;
      count -= half + 1;
    } else {
      count = half;
    }
  }
  return node_of(low);
}

template <class Key>
std::uint32_t PrefixIndex<Key>::next(std::uint32_t node, std::uint32_t from) const noexcept {
  std::uint32_t best = kNone;
  while (node != kNone) {
    const std::size_t at = 2 * static_cast<std::size_t>(node);
    const std::uint32_t ref = nodes_[at + 1];
    if ((ref & kReferenceList) != 0)
      best = std::min(best, first_in_list(lists_, ref & ~kReferenceList, from));
    else if (ref >= from)
      best = std::min(best, ref);
    node = nodes_[at];
  }
  return best;
}

template class PrefixIndex<std::uint32_t>;
template class PrefixIndex<Key128>;

}  // namespace sluice::ruleset
