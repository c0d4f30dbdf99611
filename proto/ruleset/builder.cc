#include "proto/ruleset/builder.h"

#include <algorithm>

#include "proto/common/name.h"
#include "proto/common/text.h"
#include "proto/ruleset/bounds.h"
#include "proto/ruleset/section_writer.h"

namespace sluice::ruleset {
namespace {

struct Section {
  std::uint32_t kind;
  SectionBytes content;
};

std::uint64_t align(std::uint64_t size) {
  return (size + kSectionAlign - 1) / kSectionAlign * kSectionAlign;
}

std::vector<std::byte> frame(std::vector<Section> sections, std::uint32_t line_count) {
  SectionWriter out;
  const std::uint64_t table_end = kHeader_bytes + sections.size() * kSectionEntry_bytes;
  std::uint64_t size = table_end;
  for (const Section& s : sections) size = align(size) + s.content.bytes.size();
  out.text(kMagic);
  out.u16(kFormatVersion);
  out.u16(kHeader_bytes);
  out.u32(static_cast<std::uint32_t>(sections.size()));
  out.u64(size);
  out.u32(line_count);
  out.u32(0);
  out.u64(0);  // the checksum, below
  std::uint64_t offset = table_end;
  for (const Section& s : sections) {
    offset = align(offset);
    out.u32(s.kind);
    out.u32(s.content.first_position);
    out.u64(offset);
    out.u64(s.content.bytes.size());
    offset += s.content.bytes.size();
  }
  std::vector<std::byte> block = std::move(out).take();
  block.reserve(static_cast<std::size_t>(size));
  for (const Section& s : sections) {
    block.resize(static_cast<std::size_t>(align(block.size())));
    block.insert(block.end(), s.content.bytes.begin(), s.content.bytes.end());
  }
  Writer sum(ByteSpan(block).subspan(kChecksumOffset, 8));
  sum.u64le(checksum(block));
  return block;
}

/// Sorted, and without overlaps, so that no port lies in two blocks of one line.
std::vector<PortRange> merged(std::span<const PortRange> ranges) {
  std::vector<PortRange> sorted(ranges.begin(), ranges.end());
  std::erase_if(sorted, [](const PortRange& r) { return r.first > r.last; });
  std::ranges::sort(sorted, {}, &PortRange::first);
  std::vector<PortRange> out;
  for (const PortRange& r : sorted) {
    if (!out.empty() && r.first <= out.back().last + 1)
      out.back().last = std::max(out.back().last, r.last);
    else
      out.push_back(r);
  }
  return out;
}

}  // namespace

void Builder::add_name(std::string_view name, bool exact) {
  if (is_normal_name(name)) names_.push_back({std::string(name), line_count_, exact});
  ++line_count_;
}

void Builder::domain(std::string_view name) {
  add_name(name, true);
}

void Builder::domain_suffix(std::string_view name) {
  add_name(name, false);
}

void Builder::domain_keyword(std::string_view keyword) {
  std::string lower(keyword);
  std::ranges::transform(lower, lower.begin(), to_lower);
  keywords_.push_back({std::move(lower), line_count_++});
}

void Builder::add_address(const Prefix& prefix, Index v4, std::vector<PrefixLine<Key128>>& v6) {
  const Prefix clean = Prefix::of(prefix.base, prefix.length);
  if (clean.base.is_v4())
    small(v4).push_back({clean.base.v4_value(), clean.length, line_count_});
  else if (clean.base.is_v6())
    v6.push_back({v6_key(clean.base), clean.length, line_count_});
}

void Builder::destination(const Prefix& prefix, Resolve resolve) {
  add_address(prefix, Index::destination_v4, destination_v6_);
  if (resolve == Resolve::yes) resolve_.push_back(line_count_);
  ++line_count_;
}

void Builder::source(const Prefix& prefix) {
  add_address(prefix, Index::source_v4, source_v6_);
  ++line_count_;
}

/// A range becomes the fewest aligned blocks of a power of two: at most 30.
void Builder::add_ports(std::span<const PortRange> ranges, Index index) {
  for (const PortRange& r : merged(ranges)) {
    std::uint32_t at = r.first;
    const std::uint32_t end = r.last + 1U;
    while (at < end) {
      std::uint32_t bits = 0;
      while (bits < 16 && at % (2U << bits) == 0 && at + (2U << bits) <= end) ++bits;
      small(index).push_back({port_key(static_cast<std::uint16_t>(at)),
                              static_cast<std::uint8_t>(16 - bits), line_count_});
      at += 1U << bits;
    }
  }
  ++line_count_;
}

void Builder::destination_ports(std::span<const PortRange> ranges) {
  add_ports(ranges, Index::destination_port);
}

void Builder::source_ports(std::span<const PortRange> ranges) {
  add_ports(ranges, Index::source_port);
}

void Builder::network(Network network) {
  small(Index::network).push_back({code_key(static_cast<std::uint8_t>(network)), 8, line_count_++});
}

void Builder::in_types(std::span<const std::uint8_t> types) {
  for (const std::uint8_t type : types)
    small(Index::in_type).push_back({code_key(type), 8, line_count_});
  ++line_count_;
}

void Builder::always() {
  small(Index::always).push_back({0, 0, line_count_++});
}

void Builder::never() {
  ++line_count_;
}

Result<std::vector<std::byte>> Builder::finish() const {
  if (line_count_ > kMaxLines) return fail(Errc::too_large);
  std::vector<Section> sections;
  const auto add = [&sections](std::uint32_t kind, SectionBytes content) {
    if (!content.bytes.empty()) sections.push_back({kind, std::move(content)});
  };
  for (std::uint32_t kind = 0; kind < kIndexCount; ++kind) {
    switch (static_cast<Index>(kind)) {
      case Index::names:
        if (!names_.empty()) add(kind, write_names(names_));
        break;
      case Index::keywords:
        add(kind, write_keywords(keywords_));
        break;
      case Index::destination_v6:
        if (!destination_v6_.empty()) add(kind, write_prefixes(destination_v6_));
        break;
      case Index::source_v6:
        if (!source_v6_.empty()) add(kind, write_prefixes(source_v6_));
        break;
      default:
        if (!small_[kind].empty()) add(kind, write_prefixes(small_[kind]));
    }
  }
  if (!resolve_.empty()) {
    SectionWriter out;
    out.words(resolve_);
    add(kResolveSection, {std::move(out).take(), resolve_.front()});
  }
  std::uint64_t size = kHeader_bytes;
  for (const Section& s : sections)
    size += kSectionEntry_bytes + kSectionAlign + s.content.bytes.size();
  if (size > kMaxBlock_bytes) return fail(Errc::too_large);
  return frame(std::move(sections), line_count_);
}

}  // namespace sluice::ruleset
