#include "controlplane/ruleformats/name_trie.h"

#include <algorithm>
#include <array>

namespace sluice::ruleformats {
namespace {

constexpr std::size_t kWord_bytes = 8;
constexpr std::uint64_t kMaxNodes = UINT32_MAX - 1;

bool bit_of(ByteView words, std::uint64_t index) noexcept {
  const std::uint64_t byte = index / 64 * kWord_bytes + (kWord_bytes - 1) - index % 64 / 8;
  return ((std::to_integer<unsigned>(words[byte]) >> (index % 8)) & 1U) != 0;
}

bool continues(char c) noexcept {
  return (static_cast<unsigned char>(c) & 0xc0U) == 0x80;
}

/// Reversing by bytes turned every UTF-8 sequence around: its tail now stands before its head.
void mend_sequences(std::string& text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!continues(text[i])) continue;
    std::size_t head = i;
    while (head < text.size() && continues(text[head])) ++head;
    const std::size_t end = std::min(head + 1, text.size());
    std::reverse(text.begin() + static_cast<std::ptrdiff_t>(i),
                 text.begin() + static_cast<std::ptrdiff_t>(end));
    i = end - 1;
  }
}

}  // namespace

Outcome<NameTrie> NameTrie::open(ByteView leaves, ByteView bitmap, ByteView labels,
                                 std::uint64_t offset) {
  const std::uint64_t nodes = labels.size() + std::uint64_t{1};
  if (nodes > kMaxNodes) return refuse(Errc::too_large, offset, "holds a trie that is too large");
  // Each node closes with one bit, and each but the root opens one.
  if (bitmap.size() % kWord_bytes != 0 || bitmap.size() * 8 < 2 * nodes - 1)
    return refuse(Errc::malformed, offset, "holds a trie with too few links");
  NameTrie trie;
  trie.leaves_ = leaves;
  trie.labels_ = labels;
  trie.parents_.resize(nodes);
  if (!trie.link_children(bitmap))
    return refuse(Errc::malformed, offset, "holds a trie whose links make no tree");
  for (std::uint64_t bit = nodes; bit < leaves.size() * 8; ++bit)
    if (bit_of(leaves, bit))
      return refuse(Errc::malformed, offset, "holds a trie with a name past its nodes");
  return trie;
}

bool NameTrie::link_children(ByteView bitmap) {
  const std::uint64_t nodes = parents_.size();
  std::uint64_t bit = 0;
  std::uint64_t next = 1;
  for (std::uint64_t node = 0; node < nodes; ++node) {
    if (node >= next) return false;  // nothing led here: a ring, or a piece on its own
    for (;; ++bit) {
      if (bit >= bitmap.size() * 8) return false;
      if (bit_of(bitmap, bit)) break;
      if (next >= nodes) return false;
      parents_[next++] = static_cast<Node>(node);
    }
    ++bit;
  }
  return next == nodes;
}

bool NameTrie::is_leaf(Node node) const noexcept {
  return node < leaves_.size() * 8 && bit_of(leaves_, node);
}

bool NameTrie::key(Node node, std::string& out) const {
  std::array<char, kMaxKey> bytes;
  std::size_t size = 0;
  unsigned char all = 0;
  for (; node != kRoot && size < kMaxKey; node = parents_[node]) {
    bytes[size] = label(node);
    all |= static_cast<unsigned char>(bytes[size++]);
  }
  out.assign(bytes.data(), size);
  if (all >= 0x80) mend_sequences(out);
  return node == kRoot;
}

void append_reversed(std::string_view name, std::string& out) {
  for (std::size_t end = name.size(); end > 0;) {
    std::size_t start = end - 1;
    while (start > 0 && continues(name[start])) --start;
    out.append(name.substr(start, end - start));
    end = start;
  }
}

void NameTrieBuilder::add(std::string_view name) {
  append_reversed(name, bytes_);
  ends_.push_back(bytes_.size());
}

std::vector<std::string_view> NameTrieBuilder::sorted_keys() const {
  std::vector<std::string_view> keys;
  keys.reserve(ends_.size());
  std::size_t start = 0;
  for (const std::size_t end : ends_) {
    keys.push_back(std::string_view(bytes_).substr(start, end - start));
    start = end;
  }
  std::ranges::sort(keys);
  const auto rest = std::ranges::unique(keys);
  keys.erase(rest.begin(), rest.end());
  return keys;
}

namespace {

class BitWriter {
 public:
  explicit BitWriter(std::vector<std::uint64_t>& words) : words_(words) {}
  void put(std::uint64_t index, bool bit) {
    if (index / 64 >= words_.size()) words_.resize(index / 64 + 1);
    words_[index / 64] |= static_cast<std::uint64_t>(bit) << (index % 64);
  }

 private:
  std::vector<std::uint64_t>& words_;
};

}  // namespace

NameTrieBuilder::Parts NameTrieBuilder::finish() {
  // Node i covers the keys [first, last), which agree in their first `depth` bytes.
  struct Span {
    std::size_t first;
    std::size_t last;
  };
  const auto keys = sorted_keys();
  Parts parts;
  BitWriter leaves(parts.leaves);
  BitWriter bitmap(parts.bitmap);
  std::vector<Span> level{{0, keys.size()}};
  std::vector<Span> below;
  std::uint64_t node = 0;
  std::uint64_t bit = 0;
  for (std::size_t depth = 0; !level.empty(); ++depth, level.swap(below)) {
    below.clear();
    for (auto [first, last] : level) {
      if (first < last && keys[first].size() == depth) {
        leaves.put(node, true);
        ++first;
      }
      while (first < last) {
        const char label = keys[first][depth];
        const std::size_t start = first;
        while (first < last && keys[first][depth] == label) ++first;
        below.push_back({start, first});
        parts.labels.push_back(static_cast<std::byte>(label));
        bitmap.put(bit++, false);
      }
      bitmap.put(bit++, true);
      ++node;
    }
  }
  return parts;
}

}  // namespace sluice::ruleformats
