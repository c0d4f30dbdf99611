#include <string>
#include <utility>

#include "controlplane/ruleformats/address_range.h"
#include "controlplane/ruleformats/mrs.h"
#include "controlplane/ruleformats/unpack.h"

namespace sluice::ruleformats {
namespace {

constexpr std::string_view kMagic{"MRS\x01", 4};
constexpr std::uint8_t kBodyVersion = 1;
constexpr std::uint64_t kRange_bytes = 32;
constexpr std::string_view kEndsEarly = "ends within its content";

/// `count` items of `size` bytes each; empty and short when there are not so many.
ByteView take_items(Reader& in, std::uint64_t count, std::uint64_t size) {
  if (count > in.left() / size) {
    in.skip(in.left() + 1);
    return {};
  }
  return in.take(static_cast<std::size_t>(count * size));
}

/// Names of a trie: exact, `+.` keys, and the two in one where both are there.
class TrieNames {
 public:
  TrieNames(const NameTrie& trie, Feed& feed)
      : trie_(trie), feed_(feed), covered_(trie.node_count()) {}

  void feed_all() {
    for (NameTrie::Node node = 1; node < trie_.node_count(); ++node) {
      if (!is_plus(node)) continue;
      const NameTrie::Node apex = trie_.parent(trie_.parent(node));
      if (trie_.is_leaf(apex)) covered_[apex] = true;
    }
    for (NameTrie::Node node = 1; node < trie_.node_count() && !feed_.full(); ++node)
      if (trie_.is_leaf(node) && !covered_[node]) feed_node(node);
  }

 private:
  /// A name that reads "+.x": the two last bytes on the way to its leaf are "." and "+".
  [[nodiscard]] bool is_plus(NameTrie::Node node) const {
    if (!trie_.is_leaf(node) || trie_.label(node) != '+') return false;
    const NameTrie::Node dot = trie_.parent(node);
    return dot != NameTrie::kRoot && trie_.label(dot) == '.';
  }

  void feed_node(NameTrie::Node node) {
    const Place place{feed_.next_entry(), 0, 0};
    if (!trie_.key(node, key_)) {
      feed_.fault(place, {}, "is longer than a name can be");
      return;
    }
    NameKind kind = NameKind::exact;
    std::string_view name = key_;
    if (is_plus(node)) {
      kind = covered_[trie_.parent(trie_.parent(node))] ? NameKind::suffix : NameKind::below;
      name.remove_prefix(2);
    } else if (name.starts_with('+')) {
      feed_.fault(place, name, "has a `+` that is not its first label");
      return;
    }
    feed_.name(kind, name, place, NameText::Wildcards::labels);
  }

  const NameTrie& trie_;
  Feed& feed_;
  std::vector<bool> covered_;  // exact names that a `+.` key stands for as well
  std::string key_;
};

Outcome<Tally> read_names(Reader& in, Feed& feed) {
  const std::uint64_t start = in.position();
  const ByteView leaves = take_items(in, in.u64be(), 8);
  const ByteView bitmap = take_items(in, in.u64be(), 8);
  const ByteView labels = take_items(in, in.u64be(), 1);
  if (in.short_read()) return refuse(Errc::truncated, start, kEndsEarly);
  const auto trie = NameTrie::open(leaves, bitmap, labels, start);
  if (!trie) return std::unexpected(trie.error());
  TrieNames(*trie, feed).feed_all();
  return feed.finish();
}

Outcome<Tally> read_ranges(Reader& in, Feed& feed) {
  const std::uint64_t start = in.position();
  Reader ranges(take_items(in, in.u64be(), kRange_bytes));
  if (in.short_read()) return refuse(Errc::truncated, start, kEndsEarly);
  while (ranges.left() > 0 && !feed.full()) {
    const IpAddress first = IpAddress::from_bytes(ranges.take(16));
    const IpAddress last = IpAddress::from_bytes(ranges.take(16));
    RangePrefixes prefixes({first, last});
    if (!prefixes.valid()) {
      feed.fault({feed.next_entry(), 0, 0}, first.to_string() + "-" + last.to_string(),
                 "is not a range of addresses");
    }
    Prefix prefix;
    while (prefixes.next(prefix) && !feed.full()) feed.prefix(prefix, {feed.next_entry(), 0, 0});
  }
  return feed.finish();
}

Outcome<Tally> read_body(ByteView plain, Behavior expected, Feed& feed) {
  Reader in(plain);
  if (as_text(in.take(kMagic.size())) != kMagic)
    return refuse(Errc::malformed, 0, "is not an mrs rule set");
  const std::uint8_t behavior = in.u8();
  in.skip(8);  // the count that Mihomo shows; ours is what is read
  take_items(in, in.u64be(), 1);
  const std::uint8_t version = in.u8();
  if (in.short_read()) return refuse(Errc::truncated, 0, kEndsEarly);
  if (behavior != static_cast<std::uint8_t>(expected))
    return refuse(Errc::unsupported, kMagic.size(), "holds rules of another behavior");
  if (version != kBodyVersion)
    return refuse(Errc::unsupported, in.position() - 1, "is of an unknown version");
  auto tally = expected == Behavior::domain ? read_names(in, feed) : read_ranges(in, feed);
  if (tally && in.left() > 0)
    return refuse(Errc::malformed, in.position(), "has bytes after its content");
  return tally;
}

}  // namespace

Outcome<Tally> read_mrs(ByteView file, Behavior expected, const Bounds& bounds, Entries& to) {
  if (expected == Behavior::classical)
    return refuse(Errc::unsupported, 0, "is an mrs file, which holds no classical rules");
  if (file.size() > bounds.input_bytes)
    return refuse(Errc::too_large, bounds.input_bytes, "is larger than a rule file may be");
  const auto plain = unpack_zstd(file, bounds.plain_bytes);
  if (!plain) return std::unexpected(plain.error());
  Feed feed(to, bounds);
  return read_body(*plain, expected, feed);
}

}  // namespace sluice::ruleformats
