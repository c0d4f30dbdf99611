#include "proto/ruleset/view.h"

#include <algorithm>

#include "proto/ruleset/bounds.h"

namespace sluice::ruleset {
namespace {

std::unexpected<Invalid> refuse(std::string_view reason, std::size_t offset) {
  return std::unexpected(Invalid{reason, offset});
}

struct Frame {
  std::uint32_t section_count, line_count;
};

std::expected<Frame, Invalid> read_frame(ByteView block) {
  if (block.size() < kHeader_bytes) return refuse("block is shorter than its header", 0);
  if (block.size() > kMaxBlock_bytes) return refuse("block is too large", 0);
  Reader in(block);
  if (as_text(in.take(kMagic.size())) != kMagic) return refuse("not a rule-set block", 0);
  const std::uint16_t version = in.u16le();
  const std::uint16_t header_size = in.u16le();
  if (version != kFormatVersion || header_size != kHeader_bytes)
    return refuse("format version is not supported", 8);
  const std::uint32_t section_count = in.u32le();
  if (section_count > kMaxSections) return refuse("too many sections", 12);
  if (in.u64le() != block.size()) return refuse("block has another size than it says", 16);
  const std::uint32_t line_count = in.u32le();
  if (line_count > kMaxLines) return refuse("too many lines", 24);
  if (in.u32le() != 0) return refuse("reserved field is not zero", 28);
  if (in.u64le() != checksum(block)) return refuse("checksum does not agree", kChecksumOffset);
  if (in.left() < section_count * kSectionEntry_bytes)
    return refuse("section table is cut off", kHeader_bytes);
  return Frame{section_count, line_count};
}

bool all_zero(ByteView bytes) noexcept {
  return std::ranges::all_of(bytes, [](std::byte b) { return b == std::byte{0}; });
}

}  // namespace

struct View::Section {
  std::uint32_t kind, first_position;
  std::size_t offset;
  ByteView bytes;
};

std::expected<View, Invalid> View::open(ByteView block) {
  const auto frame = read_frame(block);
  if (!frame) return std::unexpected(frame.error());
  View out;
  out.line_count_ = frame->line_count;
  Reader table(block.subspan(kHeader_bytes, frame->section_count * kSectionEntry_bytes));
  std::size_t expected = kHeader_bytes + frame->section_count * kSectionEntry_bytes;
  std::uint32_t last_kind = 0;
  for (std::uint32_t i = 0; i < frame->section_count; ++i) {
    const std::size_t entry = kHeader_bytes + i * kSectionEntry_bytes;
    const std::uint32_t kind = table.u32le();
    const std::uint32_t first_position = table.u32le();
    const std::uint64_t offset = table.u64le();
    const std::uint64_t size = table.u64le();
    if (i > 0 && kind <= last_kind) return refuse("sections are out of order", entry);
    last_kind = kind;
    const std::size_t start = (expected + kSectionAlign - 1) / kSectionAlign * kSectionAlign;
    if (offset != start || start > block.size() || size > block.size() - start)
      return refuse("a section is out of place", entry);
    if (!all_zero(block.subspan(expected, start - expected)))
      return refuse("padding is not zero", expected);
    const auto bytes = static_cast<std::size_t>(size);
    const Section section{kind, first_position, start, block.subspan(start, bytes)};
    if (const auto read = out.read_section(section); !read) return std::unexpected(read.error());
    expected = start + bytes;
  }
  if (expected != block.size()) return refuse("bytes after the last section", expected);
  return out;
}

std::expected<void, Invalid> View::read_section(const Section& s) {
  if (s.kind == kResolveSection) return read_resolve(s);
  if (s.kind >= kIndexCount) return refuse("a section of an unknown kind", s.offset);
  const auto index = static_cast<Index>(s.kind);
  std::uint32_t first = kNone;
  const auto keep = [&first](auto opened, auto& slot) -> std::expected<void, Invalid> {
    if (!opened) return std::unexpected(opened.error());
    slot = *opened;
    first = slot.first_position();
    return {};
  };
  std::expected<void, Invalid> read;
  if (index == Index::names) {
    read = keep(NameIndex::open(s.bytes, s.offset, line_count_), names_);
  } else if (index == Index::keywords) {
    read = keep(KeywordIndex::open(s.bytes, s.offset, line_count_), keywords_);
  } else if (index == Index::destination_v6 || index == Index::source_v6) {
    read = keep(Prefixes128::open(s.bytes, s.offset, line_count_),
                index == Index::destination_v6 ? destination_v6_ : source_v6_);
  } else {
    read = keep(Prefixes32::open(s.bytes, s.offset, line_count_), small_[s.kind]);
  }
  if (!read) return read;
  if (first != s.first_position) return refuse("a section's first position is wrong", s.offset);
  first_positions_[s.kind] = first;
  return {};
}

/// Which of these lines are address lines is the builder's word: asking once more costs a look-up,
/// never a wrong line.
std::expected<void, Invalid> View::read_resolve(const Section& s) {
  if (s.bytes.empty() || s.bytes.size() % 4 != 0)
    return refuse("resolve list is cut off", s.offset);
  resolve_ = Words(s.bytes);
  if (!is_ascending(resolve_, 0, resolve_.size(), line_count_))
    return refuse("resolve list is out of order", s.offset);
  if (resolve_[0] != s.first_position)
    return refuse("a section's first position is wrong", s.offset);
  return {};
}

std::uint32_t View::first_position(Index index) const noexcept {
  return first_positions_[static_cast<std::size_t>(index)];
}

std::uint32_t View::next_resolve(std::uint32_t from) const noexcept {
  return first_at_least(resolve_, 0, resolve_.size(), from);
}

}  // namespace sluice::ruleset
