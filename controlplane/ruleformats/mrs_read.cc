#include "controlplane/ruleformats/address_range.h"
#include "controlplane/ruleformats/mrs.h"
#include "controlplane/ruleformats/trie_names.h"
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

void feed_names(const NameTrie& trie, Feed& feed) {
  TrieNames names(trie, '+');
  while (!feed.full() && names.next()) {
    const Place place{feed.next_entry(), 0, 0};
    if (names.name().starts_with('+')) {
      feed.fault(place, names.name(), "has a `+` that is not its first label");
    } else {
      feed.name(names.kind(), names.name(), place, NameText::Wildcards::labels);
    }
  }
}

Outcome<Tally> read_names(Reader& in, Feed& feed) {
  const std::uint64_t start = in.position();
  const ByteView leaves = take_items(in, in.u64be(), 8);
  const ByteView bitmap = take_items(in, in.u64be(), 8);
  const ByteView labels = take_items(in, in.u64be(), 1);
  if (in.short_read()) return refuse(Errc::truncated, start, kEndsEarly);
  const auto trie = NameTrie::open(leaves, bitmap, labels, start);
  if (!trie) return std::unexpected(trie.error());
  feed_names(*trie, feed);
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
