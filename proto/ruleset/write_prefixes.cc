// Flattens nested prefixes into ranges; the layout is drawn in prefix_index.h.
#include <algorithm>
#include <bit>
#include <tuple>

#include "proto/ruleset/bounds.h"
#include "proto/ruleset/section_writer.h"

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

void write_key(SectionWriter& out, std::uint32_t key) {
  out.u32(key);
}
void write_key(SectionWriter& out, Key128 key) {
  out.u64(key.high);
  out.u64(key.low);
}

template <class Key>
struct Node {
  Key first, last;
  std::uint32_t parent;
  std::vector<std::uint32_t> positions;
};

template <class Key>
struct Range {
  Key start;
  std::uint32_t node;
};

/// One node per prefix, outer ones before inner ones.
template <class Key>
std::vector<Node<Key>> make_nodes(std::vector<Builder::PrefixLine<Key>> lines) {
  const auto order = [](const auto& line) {
    return std::tuple(line.key, line.length, line.position);
  };
  std::ranges::sort(lines, {}, order);
  std::vector<Node<Key>> nodes;
  std::uint8_t last_length = 0;
  for (const auto& line : lines) {
    if (nodes.empty() || nodes.back().first != line.key || last_length != line.length)
      nodes.push_back({line.key, last_key(line.key, line.length), kNone, {}});
    last_length = line.length;
    auto& positions = nodes.back().positions;
    if (positions.empty() || positions.back() != line.position) positions.push_back(line.position);
  }
  return nodes;
}

template <class Key>
class Flattener {
 public:
  explicit Flattener(std::vector<Node<Key>>& nodes) : nodes_(nodes) {}

  std::vector<Range<Key>> run() {
    emit(Key{}, kNone);
    for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
      leave_before(nodes_[i].first);
      nodes_[i].parent = open_.empty() ? kNone : open_.back();
      open_.push_back(i);
      emit(nodes_[i].first, i);
    }
    while (!open_.empty()) leave();
    return std::move(ranges_);
  }

 private:
  void leave_before(const Key& start) {
    while (!open_.empty() && nodes_[open_.back()].last < start) leave();
  }
  void leave() {
    Key after = nodes_[open_.back()].last;
    open_.pop_back();
    if (increment(after)) emit(after, open_.empty() ? kNone : open_.back());
  }
  void emit(const Key& start, std::uint32_t node) {
    if (!ranges_.empty() && ranges_.back().start == start) ranges_.pop_back();
    if (ranges_.empty() || ranges_.back().node != node) ranges_.push_back({start, node});
  }

  std::vector<Node<Key>>& nodes_;
  std::vector<std::uint32_t> open_;  // nodes that hold the current key, outermost first
  std::vector<Range<Key>> ranges_;
};

struct Buckets {
  std::uint64_t base = 0;
  std::uint32_t shift = 0;
  std::vector<std::uint32_t> first;  // range counts below each bucket, and the total at the end
};

/// About one bucket per range, over the span that has boundaries.
template <class Key>
Buckets make_buckets(const std::vector<Range<Key>>& ranges) {
  Buckets out;
  const auto count =
      static_cast<std::uint32_t>(std::min<std::size_t>(std::bit_ceil(ranges.size()), kMaxBuckets));
  out.base = ranges.size() > 1 ? bucket_key(ranges[1].start) : 0;
  const std::uint64_t last = bucket_key(ranges.back().start);
  const std::uint64_t span = last > out.base ? last - out.base : 0;
  while ((span >> out.shift) >= count) ++out.shift;
  out.first.assign(count + 1, 0);
  for (const auto& range : ranges) {
    const std::uint64_t key = bucket_key(range.start);
    const std::uint64_t bucket = key < out.base ? 0 : (key - out.base) >> out.shift;
    ++out.first[static_cast<std::size_t>(bucket) + 1];
  }
  for (std::size_t i = 1; i < out.first.size(); ++i) out.first[i] += out.first[i - 1];
  return out;
}

}  // namespace

template <class Key>
SectionBytes write_prefixes(std::vector<Builder::PrefixLine<Key>> lines) {
  std::vector<Node<Key>> nodes = make_nodes(std::move(lines));
  const std::vector<Range<Key>> ranges = Flattener<Key>(nodes).run();
  const Buckets buckets = make_buckets(ranges);
  std::uint32_t position_count = 0;
  for (const auto& node : nodes)
    position_count += static_cast<std::uint32_t>(node.positions.size());

  SectionWriter out;
  out.u32(static_cast<std::uint32_t>(ranges.size()));
  out.u32(static_cast<std::uint32_t>(nodes.size()));
  out.u32(position_count);
  out.u32(static_cast<std::uint32_t>(buckets.first.size() - 1));
  out.u32(buckets.shift);
  out.u32(0);
  out.u64(buckets.base);
  out.words(buckets.first);
  for (const auto& range : ranges) write_key(out, range.start);
  for (const auto& range : ranges) out.u32(range.node);
  std::uint32_t first = 0;
  std::uint32_t smallest = kNone;
  for (const auto& node : nodes) {
    const auto count = static_cast<std::uint32_t>(node.positions.size());
    out.u32(node.parent);
    out.u32(first);
    out.u32(count);
    first += count;
    smallest = std::min(smallest, node.positions.front());
  }
  for (const auto& node : nodes) out.words(node.positions);
  return {std::move(out).take(), smallest};
}

template SectionBytes write_prefixes(std::vector<Builder::PrefixLine<std::uint32_t>>);
template SectionBytes write_prefixes(std::vector<Builder::PrefixLine<Key128>>);

}  // namespace sluice::ruleset
