#include "controlplane/ruleformats/geo_dat.h"

#include "proto/common/text.h"

namespace sluice::ruleformats {
namespace {

// Field numbers of the schema.
constexpr std::uint32_t kListEntry = 1;
constexpr std::uint32_t kEntryCode = 1;
constexpr std::uint32_t kEntryItem = 2;
constexpr std::uint32_t kEntryInverse = 3;
constexpr std::uint32_t kNameKind = 1;
constexpr std::uint32_t kNameText = 2;
constexpr std::uint32_t kNameAttribute = 3;
constexpr std::uint32_t kAttributeKey = 1;
constexpr std::uint32_t kPrefixAddress = 1;
constexpr std::uint32_t kPrefixLength = 2;

std::uint64_t offset_of(ByteView part, ByteView whole) noexcept {
  return static_cast<std::uint64_t>(part.data() - whole.data());
}

/// One name of a geosite category.
struct Site {
  std::uint64_t kind = 0;
  std::string_view text;
  std::uint64_t has = 0;  ///< bit i: it has the i-th of the wanted attributes
};

bool has_attribute(ByteView attribute, std::string_view wanted) {
  ProtoFields fields(attribute);
  for (ProtoField field; fields.next(field);)
    if (field.number == kAttributeKey && field.is_bytes && iequals(as_text(field.bytes), wanted))
      return true;
  return false;
}

/// False when the message is broken. The last of a repeated value counts, as protobuf has it.
bool read_site(ByteView item, const std::vector<std::string_view>& attributes, Site& out) {
  ProtoFields fields(item);
  for (ProtoField field; fields.next(field);) {
    if (field.number == kNameKind && field.is_varint) out.kind = field.varint;
    if (field.number == kNameText && field.is_bytes) out.text = as_text(field.bytes);
    if (field.number != kNameAttribute || !field.is_bytes) continue;
    for (std::size_t i = 0; i < attributes.size(); ++i)
      if (has_attribute(field.bytes, attributes[i])) out.has |= std::uint64_t{1} << i;
  }
  return !fields.failed();
}

void feed_site(const Site& site, const Place& place, Feed& feed) {
  switch (site.kind) {
    case 0:
      feed.pattern(NameKind::keyword, site.text, place);
      break;
    case 1:
      feed.pattern(NameKind::regex, site.text, place);
      break;
    case 2:
      feed.name(NameKind::suffix, site.text, place);
      break;
    case 3:
      feed.name(NameKind::exact, site.text, place);
      break;
    default:
      feed.fault(place, site.text, "is of a kind that no geosite file has");
  }
}

void feed_network(ByteView item, const Place& place, Feed& feed) {
  ByteView address;
  std::uint64_t length = 0;
  ProtoFields fields(item);
  for (ProtoField field; fields.next(field);) {
    if (field.number == kPrefixAddress && field.is_bytes) address = field.bytes;
    if (field.number == kPrefixLength && field.is_varint) length = field.varint;
  }
  const IpAddress base = IpAddress::from_bytes(address);
  // A mapped base counts its length from the IPv6 start.
  const bool mapped = base.is_v4() && address.size() == 16;
  if (mapped && length <= 96) {
    feed.fault(place, {}, "covers the IPv4-mapped addresses, which are matched as IPv4");
  } else if (fields.failed() || !base.valid() || length > address.size() * 8) {
    feed.fault(place, {}, "is not an address or prefix");
  } else {
    feed.prefix(Prefix::of(base, static_cast<unsigned>(mapped ? length - 96 : length)), place);
  }
}

}  // namespace

Result<GeoReference> GeoReference::parse(std::string_view text) {
  GeoReference out;
  text = trim(text);
  out.inverse = text.starts_with('!');
  if (out.inverse) text.remove_prefix(1);
  const std::size_t end = text.find('@');
  out.category = trim(text.substr(0, end));
  if (out.category.empty()) return fail(Errc::malformed);
  while (text.find('@') != std::string_view::npos) {
    text.remove_prefix(text.find('@') + 1);
    out.attributes.push_back(trim(text.substr(0, text.find('@'))));
    if (out.attributes.back().empty() || out.attributes.size() > kMaxAttributes)
      return fail(Errc::malformed);
  }
  return out;
}

bool GeoCategories::next(GeoCategory& out) noexcept {
  if (failed()) return false;
  ProtoField entry;
  while (fields_.next(entry)) {
    if (entry.number != kListEntry || !entry.is_bytes) continue;
    out = {{}, entry.bytes, offset_of(entry.bytes, file_)};
    ProtoFields inner(entry.bytes, out.offset);
    ProtoField field;
    while (inner.next(field)) {
      if (field.number != kEntryCode || !field.is_bytes) continue;
      out.code = as_text(field.bytes);
      return true;
    }
    if (inner.failed()) {
      failure_ = inner.refusal();
      return false;
    }
  }
  if (fields_.failed()) failure_ = fields_.refusal();
  return false;
}

Outcome<GeoCategory> find_category(ByteView file, std::string_view code, const Bounds& bounds) {
  if (file.size() > bounds.input_bytes)
    return refuse(Errc::too_large, bounds.input_bytes, "is larger than a rule file may be");
  GeoCategories categories(file);
  for (GeoCategory category; categories.next(category);)
    if (iequals(category.code, code)) return category;
  if (categories.failed()) return std::unexpected(categories.refusal());
  return refuse(Errc::not_found, 0, "has no such category");
}

Outcome<Tally> read_geosite(const GeoCategory& category,
                            const std::vector<std::string_view>& attributes, const Bounds& bounds,
                            Entries& to) {
  const std::uint64_t all = (std::uint64_t{1} << attributes.size()) - 1;
  Feed feed(to, bounds);
  ProtoFields fields(category.entry, category.offset);
  std::uint32_t number = 0;
  ProtoField field;
  while (!feed.full() && fields.next(field)) {
    if (field.number != kEntryItem || !field.is_bytes) continue;
    const Place place{number++, 0, 0};
    Site site;
    if (!read_site(field.bytes, attributes, site)) {
      feed.fault(place, {}, "is not made of protobuf fields");
    } else if (site.has == all) {
      feed_site(site, place, feed);
    }
  }
  if (fields.failed()) return std::unexpected(fields.refusal());
  return feed.finish();
}

Outcome<GeoipTally> read_geoip(const GeoCategory& category, const Bounds& bounds, Entries& to) {
  Feed feed(to, bounds);
  ProtoFields fields(category.entry, category.offset);
  GeoipTally out;
  ProtoField field;
  while (!feed.full() && fields.next(field)) {
    if (field.number == kEntryInverse && field.is_varint) out.inverse = field.varint != 0;
    if (field.number == kEntryItem && field.is_bytes)
      feed_network(field.bytes, {feed.next_entry(), 0, 0}, feed);
  }
  if (fields.failed()) return std::unexpected(fields.refusal());
  const auto tally = feed.finish();
  if (!tally) return std::unexpected(tally.error());
  out.tally = *tally;
  return out;
}

}  // namespace sluice::ruleformats
