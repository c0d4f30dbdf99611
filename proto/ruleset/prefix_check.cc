// Validation of a prefix index: after this the look-up checks nothing.
#include <algorithm>
#include <vector>

#include "proto/ruleset/bounds.h"
#include "proto/ruleset/prefix_index.h"
#include "proto/ruleset/prefix_layout.h"
#include "proto/ruleset/section_reader.h"

namespace sluice::ruleset {
namespace {

constexpr std::uint32_t kNode_bytes = 8;
constexpr std::uint8_t kMaxNesting = 129;  // lengths 0..128, each at most once on a chain

}  // namespace

template <class Key>
bool PrefixIndex<Key>::read_arrays(ByteView section) {
  SectionReader in(section);
  boundary_count_ = in.u32();
  node_count_ = in.u32();
  const std::uint32_t list_words = in.u32();
  segment_count_ = in.u32();
  bucket_count_ = in.u32();
  const std::uint32_t key_bytes = in.u32();
  const std::uint32_t node_bytes = in.u32();
  constexpr std::uint32_t kShort = sizeof(Key) / 2;
  if (node_count_ == 0 || segment_count_ == 0 || segment_count_ > kDirectory_cells ||
      bucket_count_ > kMaxBuckets || (key_bytes != kShort && key_bytes != sizeof(Key)) ||
      (node_bytes != 1 && node_bytes != 2 && node_bytes != 4) || boundary_count_ == kNone)
    return false;
  if (sizeof(Key) == 4 && segment_count_ != 1) return false;
  key_bytes_ = static_cast<std::uint8_t>(key_bytes);
  node_bytes_ = static_cast<std::uint8_t>(node_bytes);
  segments_ = in.array(segment_count_, kSegment_bytes).data();
  if (segment_count_ > 1) directory_ = in.array(kDirectory_cells, 2).data();
  buckets_ = in.words(bucket_count_ + 1);
  boundaries_ = in.array(boundary_count_, key_bytes_).data();
  range_nodes_ = in.array(boundary_count_ + 1, node_bytes_).data();
  nodes_ = Words(in.array(node_count_, kNode_bytes));
  lists_ = in.words(list_words);
  return in.complete();
}

template <class Key>
std::expected<PrefixIndex<Key>, Invalid> PrefixIndex<Key>::open(ByteView section,
                                                                std::size_t offset,
                                                                std::uint32_t bound) {
  PrefixIndex out;
  if (!out.read_arrays(section))
    return std::unexpected(Invalid{"prefix index: arrays do not fill the section", offset});
  const char* wrong = out.check_segments();
  if (wrong == nullptr) wrong = out.check_boundaries();
  if (wrong == nullptr) wrong = out.check_nodes(bound);
  if (wrong != nullptr) return std::unexpected(Invalid{wrong, offset});
  return out;
}

/// Segments cut the table of buckets into runs without gaps; buckets ascend over all boundaries.
template <class Key>
const char* PrefixIndex<Key>::check_segments() const noexcept {
  std::uint32_t next = 0;
  for (std::uint32_t i = 0; i < segment_count_; ++i) {
    const Segment s = segment(i);
    if (s.first_bucket != next || s.bucket_count == 0 || s.bucket_count > bucket_count_ - next)
      return "prefix index: segments do not span the buckets";
    next += s.bucket_count;
    if (s.shift > 63) return "prefix index: an impossible shift";
    if (sizeof(Key) == 4 && (s.shift < 32 || (s.base & 0xffffffffU) != 0))
      return "prefix index: an impossible shift";
    if (key_bytes_ == 2 && s.shift > kMaxShortShift) return "prefix index: an impossible shift";
  }
  if (next != bucket_count_) return "prefix index: segments do not span the buckets";
  if (buckets_[0] != 0 || buckets_[bucket_count_] != boundary_count_)
    return "prefix index: buckets do not span the boundaries";
  for (std::uint32_t b = 0; b < bucket_count_; ++b)
    if (buckets_[b + 1] < buckets_[b]) return "prefix index: buckets are out of order";
  if (directory_ == nullptr) return nullptr;
  for (std::uint32_t cell = 0; cell < kDirectory_cells; ++cell)
    if (load_u16(directory_ + 2 * static_cast<std::size_t>(cell)) >= segment_count_)
      return "prefix index: a directory cell names no segment";
  return nullptr;
}

template <class Key>
Key PrefixIndex<Key>::boundary(const Segment& s, std::uint32_t index) const noexcept {
  const std::byte* const at = boundaries_ + static_cast<std::size_t>(index) * key_bytes_;
  if constexpr (sizeof(Key) == 4) {
    (void)s;
    return key_bytes_ == 4 ? load_u32(at) : load_u16(at);
  } else {
    (void)s;
    return key_bytes_ == 8 ? Key128{load_u64(at), 0} : Key128{load_u64(at), load_u64(at + 8)};
  }
}

/// Boundaries ascend inside their bucket; each stands in the bucket and segment where a look-up of
/// its key ends. (Two bytes hold no more than what is below the bucket.)
template <class Key>
const char* PrefixIndex<Key>::check_boundaries() const noexcept {
  for (std::uint32_t i = 0; i < segment_count_; ++i) {
    const Segment s = segment(i);
    for (std::uint32_t b = 0; b < s.bucket_count; ++b) {
      const std::uint32_t low = buckets_[s.first_bucket + b];
      const std::uint32_t high = buckets_[s.first_bucket + b + 1];
      for (std::uint32_t k = low; k < high; ++k) {
        const Key here = boundary(s, k);
        if (k > low && here <= boundary(s, k - 1))
          return "prefix index: boundaries are out of order";
        if (key_bytes_ == 2) {
          if ((bucket_key(here) >> s.shift) != 0) return "prefix index: a boundary past its bucket";
          continue;
        }
        const std::uint64_t key = bucket_key(here);
        if (key < s.base || (key - s.base) >> s.shift != b || segment_of(key) != i)
          return "prefix index: a boundary in the wrong bucket";
      }
    }
  }
  for (std::uint32_t range = 0; range <= boundary_count_; ++range) {
    const std::uint32_t node = node_of(range);
    if (node != kNone && node >= node_count_) return "prefix index: a range names no prefix";
  }
  return nullptr;
}

template <class Key>
const char* PrefixIndex<Key>::check_nodes(std::uint32_t bound) {
  const auto lists = ListStarts::check(lists_, bound);
  if (!lists) return "prefix index: a list is out of order";
  std::vector<std::uint8_t> depth(node_count_);
  for (std::uint32_t i = 0; i < node_count_; ++i) {
    const std::uint32_t parent = nodes_[2 * static_cast<std::size_t>(i)];
    const std::uint32_t ref = nodes_[2 * static_cast<std::size_t>(i) + 1];
    if (parent != kNone && parent >= i) return "prefix index: an outer prefix comes later";
    depth[i] = parent == kNone ? 1 : static_cast<std::uint8_t>(depth[parent] + 1);
    if (depth[i] > kMaxNesting) return "prefix index: prefixes nest too deep";
    if ((ref & kReferenceList) != 0) {
      const std::uint32_t list = ref & ~kReferenceList;
      if (!lists->is_list(list)) return "prefix index: a list out of bounds";
      first_ref_ = std::min(first_ref_, lists_[list + 1]);
    } else {
      if (ref >= bound) return "prefix index: a ref past the last";
      first_ref_ = std::min(first_ref_, ref);
    }
  }
  return nullptr;
}

template class PrefixIndex<std::uint32_t>;
template class PrefixIndex<Key128>;

}  // namespace sluice::ruleset
