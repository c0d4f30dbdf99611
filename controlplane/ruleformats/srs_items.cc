#include "controlplane/ruleformats/srs_items.h"

#include <string>

#include "controlplane/ruleformats/address_range.h"
#include "controlplane/ruleformats/adguard_pattern.h"
#include "controlplane/ruleformats/proto_fields.h"
#include "controlplane/ruleformats/trie_names.h"

namespace sluice::ruleformats {
namespace {

/// How the content of an item is laid out.
enum class Layout : std::uint8_t {
  none,
  texts,
  bytes,
  numbers,
  trie,
  ranges,
  by_network,
  prefixes
};

struct ItemType {
  HeadlessField field;
  Layout layout;
  std::string_view title;
};

using Field = HeadlessField;

/// By type byte.
constexpr ItemType kTypes[] = {
    {Field::unknown, Layout::numbers, "query_type"},
    {Field::network, Layout::texts, "network"},
    {Field::name_set, Layout::trie, "domain"},
    {Field::keyword, Layout::texts, "domain_keyword"},
    {Field::regex, Layout::texts, "domain_regex"},
    {Field::source_prefix, Layout::ranges, "source_ip_cidr"},
    {Field::prefix, Layout::ranges, "ip_cidr"},
    {Field::source_port, Layout::numbers, "source_port"},
    {Field::source_port_range, Layout::texts, "source_port_range"},
    {Field::port, Layout::numbers, "port"},
    {Field::port_range, Layout::texts, "port_range"},
    {Field::process_name, Layout::texts, "process_name"},
    {Field::process_path, Layout::texts, "process_path"},
    {Field::unknown, Layout::texts, "package_name"},
    {Field::unknown, Layout::texts, "wifi_ssid"},
    {Field::unknown, Layout::texts, "wifi_bssid"},
    {Field::adguard_set, Layout::trie, "adguard_domain"},
    {Field::process_path_regex, Layout::texts, "process_path_regex"},
    {Field::unknown, Layout::bytes, "network_type"},
    {Field::unknown, Layout::none, "network_is_expensive"},
    {Field::unknown, Layout::none, "network_is_constrained"},
    {Field::unknown, Layout::by_network, "network_interface_address"},
    {Field::unknown, Layout::prefixes, "default_interface_address"},
};

/// A count of things of at least `size` bytes. Too many for the input make it short.
std::uint64_t read_count(Reader& in, std::uint64_t size, bool& good) noexcept {
  std::uint64_t count = 0;
  good = read_varint(in, count) && good;
  if (count <= in.left() / size) return count;
  in.skip(in.left() + 1);
  return 0;
}

ByteView read_sized(Reader& in, std::uint64_t size, bool& good) noexcept {
  return in.take(static_cast<std::size_t>(read_count(in, size, good) * size));
}

void skip_prefixes(Reader& in, bool& good) noexcept {
  for (std::uint64_t count = read_count(in, 2, good); count > 0 && good; --count) {
    read_sized(in, 1, good);
    in.skip(1);
  }
}

void skip_layout(Layout layout, Reader& in, bool& good) noexcept {
  switch (layout) {
    case Layout::none:
      break;
    case Layout::texts:
      for (std::uint64_t count = read_count(in, 1, good); count > 0 && good; --count)
        read_sized(in, 1, good);
      break;
    case Layout::bytes:
      read_sized(in, 1, good);
      break;
    case Layout::numbers:
      read_sized(in, 2, good);
      break;
    case Layout::trie:
      in.skip(1);
      read_sized(in, 8, good);
      read_sized(in, 8, good);
      read_sized(in, 1, good);
      break;
    case Layout::ranges: {
      good = in.u8() == 1;
      std::uint64_t count = in.u64be();
      if (count > in.left()) in.skip(in.left() + 1);
      for (; count > 0 && good && !in.short_read(); --count) {
        read_sized(in, 1, good);
        read_sized(in, 1, good);
      }
      break;
    }
    case Layout::by_network:
      for (std::uint64_t count = read_count(in, 2, good); count > 0 && good; --count) {
        in.skip(1);
        skip_prefixes(in, good);
      }
      break;
    case Layout::prefixes:
      skip_prefixes(in, good);
      break;
  }
}

/// Content that was stepped over before, so lengths hold.
Result<NameTrie> open_trie(ByteView raw) {
  bool good = true;
  Reader in(raw);
  in.skip(1);
  const ByteView leaves = read_sized(in, 8, good);
  const ByteView bitmap = read_sized(in, 8, good);
  const auto trie = NameTrie::open(leaves, bitmap, read_sized(in, 1, good), 0);
  if (!trie) return fail(trie.error().code);
  return *trie;
}

void read_names(const NameTrie& trie, HeadlessTerms& to) {
  TrieNames names(trie, '\r');
  while (!to.done() && names.next()) {
    std::string_view name = names.name();
    NameKind kind = names.kind();
    if (kind == NameKind::exact && name.starts_with('\n')) {
      kind = NameKind::suffix;
      name.remove_prefix(1);
    }
    to.name(kind, name);
  }
}

void read_patterns(const NameTrie& trie, HeadlessTerms& to) {
  AdguardNames names;
  std::string key;
  for (NameTrie::Node node = 1; node < trie.node_count() && !to.done(); ++node) {
    if (!trie.is_leaf(node)) continue;
    static_cast<void>(trie.key(node, key));  // one that is cut off is too long for a name still
    AdguardPattern pattern;
    pattern.start = key.starts_with('\n')   ? AdguardPattern::Start::label
                    : key.starts_with('\r') ? AdguardPattern::Start::anywhere
                                            : AdguardPattern::Start::name;
    pattern.body = key;
    if (pattern.start != AdguardPattern::Start::name) pattern.body.remove_prefix(1);
    pattern.to_end = !pattern.body.ends_with('\b');
    if (!pattern.to_end) pattern.body.remove_suffix(1);
    if (const std::string_view reason = names.expand(pattern); !reason.empty()) {
      to.bad(pattern.body, reason);
    } else {
      for (const AdguardNames::Item& item : names.items()) to.name(item.kind, item.text);
    }
  }
}

void read_trie(const HeadlessItem& item, HeadlessTerms& to) {
  const auto trie = open_trie(item.raw);
  if (!trie) {
    to.bad(item.title, "is a trie whose links make no tree");
  } else if (item.field == Field::adguard_set) {
    read_patterns(*trie, to);
  } else {
    read_names(*trie, to);
  }
}

void read_ranges(ByteView raw, HeadlessTerms& to) {
  bool good = true;
  Reader in(raw);
  in.skip(1);
  for (std::uint64_t count = in.u64be(); count > 0 && !to.done(); --count) {
    const IpAddress first = IpAddress::from_bytes(read_sized(in, 1, good));
    const IpAddress last = IpAddress::from_bytes(read_sized(in, 1, good));
    RangePrefixes prefixes({first, last});
    if (!prefixes.valid())
      to.bad(first.to_string() + "-" + last.to_string(), "is not a range of addresses");
    for (Prefix prefix; !to.done() && prefixes.next(prefix);) to.prefix(prefix);
  }
}

}  // namespace

bool skip_srs_item(std::uint8_t type, Reader& in, HeadlessItem& out) noexcept {
  if (type >= std::size(kTypes)) return false;
  bool good = true;
  const ByteView start = in.rest();
  skip_layout(kTypes[type].layout, in, good);
  out = {kTypes[type].field, start.first(start.size() - in.left()), kTypes[type].title};
  return good;
}

void SrsItems::read(const HeadlessItem& item, HeadlessTerms& to) const {
  bool good = true;
  Reader in(item.raw);
  switch (item.field) {
    case Field::name_set:
    case Field::adguard_set:
      read_trie(item, to);
      break;
    case Field::prefix:
    case Field::source_prefix:
      read_ranges(item.raw, to);
      break;
    case Field::port:
    case Field::source_port:
      for (std::uint64_t count = read_count(in, 2, good); count > 0 && !to.done(); --count) {
        const std::uint16_t port = in.u16be();
        to.ports(port, port);
      }
      break;
    default:
      for (std::uint64_t count = read_count(in, 1, good); count > 0 && !to.done(); --count)
        read_headless_text(item.field, as_text(read_sized(in, 1, good)), to);
  }
}

}  // namespace sluice::ruleformats
