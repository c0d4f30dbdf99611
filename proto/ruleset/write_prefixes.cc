// Flattens nested prefixes into ranges; the layout is drawn in prefix_index.h.
#include <algorithm>
#include <bit>
#include <map>
#include <tuple>

#include "proto/ruleset/bounds.h"
#include "proto/ruleset/index_writers.h"
#include "proto/ruleset/prefix_layout.h"
#include "proto/ruleset/section_writer.h"
#include "proto/ruleset/shared_lists.h"

namespace sluice::ruleset {
namespace {

constexpr std::uint32_t last_key(std::uint32_t key, std::uint8_t length) {
  return length == 0 ? 0xffffffffU : key | (length == 32 ? 0 : 0xffffffffU >> length);
}
constexpr Key128 last_key(Key128 key, std::uint8_t length) {
  constexpr std::uint64_t ones = ~0ULL;
  if (length >= 64) return {key.high, key.low | (length == 128 ? 0 : ones >> (length - 64U))};
  return {key.high | (ones >> length), ones};
}

/// False when `key` is the largest one and there is no next.
constexpr bool increment(std::uint32_t& key) {
  return ++key != 0;
}
constexpr bool increment(Key128& key) {
  if (++key.low == 0) ++key.high;
  return key.high != 0 || key.low != 0;
}

template <class Key>
struct Span {
  Key first, last;
  std::uint32_t node;
};

/// From `start` on, up to the next one, keys have this innermost node.
template <class Key>
struct Range {
  Key start;
  std::uint32_t node;
};

/// Nodes, each stored once: prefixes with the same refs and the same outer node share one.
class NodeTable {
 public:
  explicit NodeTable(const RefTable& refs) : refs_(refs) {}

  template <class Record>
  std::uint32_t reference(const Record* first, const Record* last) {
    const bool single = last - first == 1;
    if (single)
      if (const auto found = by_source_.find(first->source); found != by_source_.end())
        return found->second;
    const std::vector<std::uint32_t> list = merged_refs(first, last, refs_);
    smallest_ = std::min(smallest_, list.front());
    const std::uint32_t out = list.size() == 1
                                  ? list.front()
                                  : lists_.add(list) | PrefixIndex<std::uint32_t>::kReferenceList;
    if (single && (first->source & RefTable::kSetBit) != 0) by_source_.emplace(first->source, out);
    return out;
  }
  std::uint32_t node(std::uint32_t parent, std::uint32_t reference) {
    // The outer prefix says it already.
    if (parent != kNone && nodes_[2 * static_cast<std::size_t>(parent) + 1] == reference)
      return parent;
    const auto key = static_cast<std::uint64_t>(parent) << 32U | reference;
    const auto [found, added] =
        numbers_.try_emplace(key, static_cast<std::uint32_t>(nodes_.size() / 2));
    if (added) {
      nodes_.push_back(parent);
      nodes_.push_back(reference);
    }
    return found->second;
  }
  [[nodiscard]] const std::vector<std::uint32_t>& nodes() const { return nodes_; }
  [[nodiscard]] const std::vector<std::uint32_t>& lists() const { return lists_.words(); }
  [[nodiscard]] std::uint32_t smallest() const { return smallest_; }

 private:
  const RefTable& refs_;
  ListPool lists_;
  std::vector<std::uint32_t> nodes_;  // parent, reference
  std::unordered_map<std::uint64_t, std::uint32_t> numbers_;
  std::unordered_map<std::uint32_t, std::uint32_t> by_source_;
  std::uint32_t smallest_ = kNone;
};

template <class Key>
class Flattener {
 public:
  explicit Flattener(NodeTable& nodes) : nodes_(nodes) {}

  std::vector<Range<Key>> run(std::vector<PrefixRecord<Key>> records) {
    std::ranges::sort(records, {},
                      [](const auto& r) { return std::tuple(r.key, r.length, r.source); });
    emit(Key{}, kNone);
    for (std::size_t i = 0; i < records.size();) {
      std::size_t end = i + 1;
      while (end < records.size() && records[end].key == records[i].key &&
             records[end].length == records[i].length)
        ++end;
      enter(records[i], nodes_.reference(records.data() + i, records.data() + end));
      i = end;
    }
    while (!open_.empty()) leave();
    return std::move(ranges_);
  }

 private:
  void enter(const PrefixRecord<Key>& prefix, std::uint32_t reference) {
    while (!open_.empty() && open_.back().last < prefix.key) leave();
    const std::uint32_t parent = open_.empty() ? kNone : open_.back().node;
    open_.push_back(
        {prefix.key, last_key(prefix.key, prefix.length), nodes_.node(parent, reference)});
    emit(prefix.key, open_.back().node);
  }
  void leave() {
    Key after = open_.back().last;
    open_.pop_back();
    if (increment(after)) emit(after, open_.empty() ? kNone : open_.back().node);
  }
  void emit(const Key& start, std::uint32_t node) {
    if (!ranges_.empty() && ranges_.back().start == start) ranges_.pop_back();
    if (ranges_.empty() || ranges_.back().node != node) ranges_.push_back({start, node});
  }

  NodeTable& nodes_;
  std::vector<Span<Key>> open_;  // prefixes that hold the current key, outermost first
  std::vector<Range<Key>> ranges_;
};

struct Segment {
  std::uint64_t base;
  std::uint32_t shift, first_bucket, bucket_count;
};

/// The boundaries are the starts of all ranges but the first.
template <class Key>
struct Layout {
  std::vector<Segment> segments;
  std::vector<std::uint16_t> directory;  // only with more than one segment
  std::vector<std::uint32_t> buckets;    // boundaries below each, and the total at the end
};

/// Boundaries for one bucket. v4 tables are held to 2.6 bytes a prefix; v6 ones spend more, since
/// their keys crowd.
template <class Key>
std::size_t share_of(std::size_t boundaries) {
  constexpr std::size_t kSmall = 4'096;
  if (boundaries <= kSmall) return 1;
  // Rounding up to powers of two may double what the segments take together.
  const std::size_t least = 4 * boundaries / kMaxBuckets + 1;
  return std::max<std::size_t>(least, sizeof(Key) == 4 ? 4 : 1);
}

/// The run of boundaries [first, last) of `ranges` as one segment.
template <class Key>
void add_segment(Layout<Key>& out, const std::vector<Range<Key>>& ranges, std::size_t first,
                 std::size_t last, std::size_t share) {
  Segment s{0, sizeof(Key) == 4 ? 32U : 0U, static_cast<std::uint32_t>(out.buckets.size()), 1};
  if (first < last) {
    s.base = bucket_key(ranges[first].start);
    const std::uint64_t span = bucket_key(ranges[last - 1].start) - s.base;
    s.bucket_count = static_cast<std::uint32_t>(std::bit_ceil((last - first) / share + 1));
    while ((span >> s.shift) >= s.bucket_count) ++s.shift;
  }
  std::size_t at = first;
  for (std::uint32_t b = 0; b < s.bucket_count; ++b) {
    out.buckets.push_back(static_cast<std::uint32_t>(at - 1));  // range 0 has no boundary
    while (at < last && (bucket_key(ranges[at].start) - s.base) >> s.shift == b) ++at;
  }
  out.segments.push_back(s);
}

template <class Key>
Layout<Key> make_layout(const std::vector<Range<Key>>& ranges) {
  constexpr std::size_t kCrowd = 256;  // boundaries from which on a directory pays
  Layout<Key> out;
  const std::size_t end = ranges.size();
  const std::size_t share = share_of<Key>(end - 1);
  if (sizeof(Key) == 4 || end < kCrowd) {
    add_segment(out, ranges, 1, end, share);
  } else {
    const auto cell = [&](std::size_t i) {
      return bucket_key(ranges[i].start) >> (64 - PrefixIndex<Key>::kDirectoryBits);
    };
    for (std::size_t at = 1; at < end;) {
      std::size_t next = at;
      while (next < end && cell(next) == cell(at)) ++next;
      // Cells without boundaries go to the next segment that has some: all of its lie above.
      out.directory.resize(cell(at) + 1, static_cast<std::uint16_t>(out.segments.size()));
      add_segment(out, ranges, at, next, share);
      at = next;
    }
    out.directory.resize(PrefixIndex<Key>::kDirectory_cells,
                         static_cast<std::uint16_t>(out.segments.size() - 1));
    if (out.segments.size() == 1) out.directory.clear();
  }
  out.buckets.push_back(static_cast<std::uint32_t>(end - 1));
  return out;
}

std::uint32_t key_bytes(const std::vector<Range<std::uint32_t>>&, const Layout<std::uint32_t>& l) {
  return l.segments.front().shift <= kMaxShortShift ? 2 : 4;
}
std::uint32_t key_bytes(const std::vector<Range<Key128>>& ranges, const Layout<Key128>&) {
  return std::ranges::all_of(ranges, [](const auto& r) { return r.start.low == 0; }) ? 8 : 16;
}

void write_key(SectionWriter& out, std::uint32_t key, const Segment& s, std::uint32_t bytes) {
  if (bytes == 4) return out.u32(key);
  const std::uint32_t below = key - static_cast<std::uint32_t>(s.base >> 32U);
  out.u16(static_cast<std::uint16_t>(below & low_mask(s.shift - 32)));
}
void write_key(SectionWriter& out, Key128 key, const Segment&, std::uint32_t bytes) {
  out.u64(key.high);
  if (bytes == 16) out.u64(key.low);
}

void write_number(SectionWriter& out, std::uint32_t number, std::uint32_t bytes) {
  if (bytes == 1) return out.u8(static_cast<std::uint8_t>(number));
  if (bytes == 2) return out.u16(static_cast<std::uint16_t>(number));
  out.u32(number);
}

}  // namespace

template <class Key>
SectionBytes write_prefixes(std::vector<PrefixRecord<Key>> records, const RefTable& refs) {
  if (records.empty()) return {};
  NodeTable nodes(refs);
  const std::vector<Range<Key>> ranges = Flattener<Key>(nodes).run(std::move(records));
  const Layout<Key> layout = make_layout(ranges);
  const std::uint32_t of_key = key_bytes(ranges, layout);
  const std::size_t node_count = nodes.nodes().size() / 2;
  const std::uint32_t of_node = node_count < 0xff ? 1 : node_count < 0xffff ? 2 : 4;

  SectionWriter out;
  out.u32(static_cast<std::uint32_t>(ranges.size() - 1));
  out.u32(static_cast<std::uint32_t>(node_count));
  out.u32(static_cast<std::uint32_t>(nodes.lists().size()));
  out.u32(static_cast<std::uint32_t>(layout.segments.size()));
  out.u32(static_cast<std::uint32_t>(layout.buckets.size() - 1));
  out.u32(of_key);
  out.u32(of_node);
  for (const Segment& s : layout.segments) {
    out.u64(s.base);
    out.u32(s.shift);
    out.u32(s.first_bucket);
    out.u32(s.bucket_count);
  }
  for (const std::uint16_t segment : layout.directory) out.u16(segment);
  out.words(layout.buckets);
  // Only short keys look at their segment, and they have one.
  for (std::size_t i = 1; i < ranges.size(); ++i)
    write_key(out, ranges[i].start, layout.segments.front(), of_key);
  for (const auto& range : ranges) write_number(out, range.node + 1, of_node);
  out.words(nodes.nodes());
  out.words(nodes.lists());
  return {std::move(out).take(), nodes.smallest()};
}

template SectionBytes write_prefixes(std::vector<PrefixRecord<std::uint32_t>>, const RefTable&);
template SectionBytes write_prefixes(std::vector<PrefixRecord<Key128>>, const RefTable&);

}  // namespace sluice::ruleset
