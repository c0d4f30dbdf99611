#include "proto/ruleset/prefix_index.h"

#include <algorithm>
#include <vector>

#include "proto/ruleset/bounds.h"
#include "proto/ruleset/section_reader.h"

namespace sluice::ruleset {
namespace {

constexpr std::uint32_t kNode_bytes = 12;
constexpr std::uint8_t kMaxNesting = 129;  // lengths 0..128, each at most once on a chain

void load_key(const std::byte* at, std::uint32_t& key) noexcept {
  key = load_u32(at);
}
void load_key(const std::byte* at, Key128& key) noexcept {
  key = {load_u64(at), load_u64(at + 8)};
}

}  // namespace

Key128 v6_key(const IpAddress& address) noexcept {
  Reader in(address.bytes());
  const std::uint64_t high = in.u64be();
  return {high, in.u64be()};
}

template <class Key>
std::expected<PrefixIndex<Key>, Invalid> PrefixIndex<Key>::open(ByteView section,
                                                                std::size_t offset,
                                                                std::uint32_t line_count) {
  PrefixIndex out;
  SectionReader in(section);
  out.range_count_ = in.u32();
  out.node_count_ = in.u32();
  const std::uint32_t position_count = in.u32();
  out.bucket_count_ = in.u32();
  out.shift_ = in.u32();
  const std::uint32_t zero = in.u32();
  out.base_ = in.u64();
  if (out.range_count_ == 0 || out.node_count_ == 0 || out.bucket_count_ == 0 ||
      out.bucket_count_ > kMaxBuckets || out.shift_ > 63 || zero != 0)
    return std::unexpected(Invalid{"prefix index: impossible counts", offset});
  out.buckets_ = in.words(out.bucket_count_ + 1);
  out.starts_ = in.array(out.range_count_, sizeof(Key)).data();
  out.range_nodes_ = in.words(out.range_count_);
  out.nodes_ = Words(in.array(out.node_count_, kNode_bytes));
  out.positions_ = in.words(position_count);
  if (!in.complete())
    return std::unexpected(Invalid{"prefix index: arrays do not fill the section", offset});

  const char* wrong = out.check_ranges();
  if (wrong == nullptr) wrong = out.check_buckets();
  if (wrong == nullptr) wrong = out.check_nodes(line_count);
  if (wrong != nullptr) return std::unexpected(Invalid{wrong, offset});
  return out;
}

template <class Key>
const char* PrefixIndex<Key>::check_ranges() const noexcept {
  if (start(0) != Key{}) return "prefix index: the first range does not start at zero";
  for (std::uint32_t i = 0; i < range_count_; ++i) {
    if (i > 0 && start(i) <= start(i - 1)) return "prefix index: ranges are out of order";
    const std::uint32_t node = range_nodes_[i];
    if (node != kNone && node >= node_count_) return "prefix index: a range names no prefix";
  }
  return nullptr;
}

/// Every range must be counted in the bucket of its start: then the search cannot miss it.
template <class Key>
const char* PrefixIndex<Key>::check_buckets() const noexcept {
  if (buckets_[0] != 0 || buckets_[bucket_count_] != range_count_)
    return "prefix index: buckets do not span the ranges";
  for (std::uint32_t b = 0; b < bucket_count_; ++b) {
    const std::uint32_t low = buckets_[b];
    const std::uint32_t high = buckets_[b + 1];
    if (high < low || high > range_count_) return "prefix index: buckets are out of order";
    for (std::uint32_t i = low; i < high; ++i)
      if (bucket_of(start(i)) != b) return "prefix index: a range is in the wrong bucket";
  }
  return nullptr;
}

/// Lists must follow each other without gaps, so the work of this check is that of the section.
template <class Key>
const char* PrefixIndex<Key>::check_nodes(std::uint32_t line_count) {
  std::vector<std::uint8_t> depth(node_count_);
  std::uint32_t used = 0;
  for (std::uint32_t i = 0; i < node_count_; ++i) {
    const Node n = node(i);
    if (n.parent != kNone && n.parent >= i) return "prefix index: an outer prefix comes later";
    depth[i] = n.parent == kNone ? 1 : static_cast<std::uint8_t>(depth[n.parent] + 1);
    if (depth[i] > kMaxNesting) return "prefix index: prefixes nest too deep";
    if (n.first != used || n.count == 0 || n.count > positions_.size() - used)
      return "prefix index: a list of positions is out of place";
    if (!is_ascending(positions_, n.first, n.count, line_count))
      return "prefix index: positions are out of order";
    first_position_ = std::min(first_position_, positions_[n.first]);
    used += n.count;
  }
  return used == positions_.size() ? nullptr : "prefix index: positions without a prefix";
}

template <class Key>
Key PrefixIndex<Key>::start(std::size_t range) const noexcept {
  Key key;
  load_key(starts_ + sizeof(Key) * range, key);
  return key;
}

template <class Key>
typename PrefixIndex<Key>::Node PrefixIndex<Key>::node(std::uint32_t index) const noexcept {
  const std::size_t at = 3 * static_cast<std::size_t>(index);
  return {nodes_[at], nodes_[at + 1], nodes_[at + 2]};
}

template <class Key>
std::uint32_t PrefixIndex<Key>::bucket_of(Key key) const noexcept {
  const std::uint64_t k = bucket_key(key);
  if (k < base_) return 0;
  const std::uint64_t bucket = (k - base_) >> shift_;
  return bucket < bucket_count_ ? static_cast<std::uint32_t>(bucket) : bucket_count_ - 1;
}

template <class Key>
std::uint32_t PrefixIndex<Key>::find(Key key) const noexcept {
  if (range_count_ == 0) return kNone;
  const std::uint32_t bucket = bucket_of(key);
  std::uint32_t low = buckets_[bucket];
  std::uint32_t count = buckets_[bucket + 1] - low;
  // Number of starts <= key, counted from the bucket's first; the range before it holds the key.
  while (count > 0) {
    const std::uint32_t half = count / 2;
    if (start(low + half) <= key) {
      low += half + 1;
      count -= half + 1;
    } else {
      count = half;
    }
  }
  return range_nodes_[low - 1];  // low >= 1: the first range starts at zero
}

template <class Key>
std::uint32_t PrefixIndex<Key>::next(std::uint32_t node_index, std::uint32_t from) const noexcept {
  std::uint32_t best = kNone;
  while (node_index != kNone) {
    const Node n = node(node_index);
    best = std::min(best, first_at_least(positions_, n.first, n.count, from));
    node_index = n.parent;
  }
  return best;
}

template class PrefixIndex<std::uint32_t>;
template class PrefixIndex<Key128>;

}  // namespace sluice::ruleset
