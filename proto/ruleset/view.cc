#include "proto/ruleset/view.h"

#include <algorithm>
#include <vector>

#include "proto/ruleset/bounds.h"

namespace sluice::ruleset {
namespace {

std::unexpected<Invalid> refuse(std::string_view reason, std::size_t offset) {
  return std::unexpected(Invalid{reason, offset});
}

struct Frame {
  std::uint32_t section_count, line_count, position_count, set_count, part_count;
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
  const std::uint32_t position_count = in.u32le();
  if (line_count > kMaxLines || position_count > kMaxLines) return refuse("too many lines", 24);
  if (in.u64le() != checksum(block)) return refuse("checksum does not agree", kChecksumOffset);
  const std::uint32_t set_count = in.u32le();
  if (set_count > kMaxSetRefs) return refuse("too many sets", 40);
  const std::uint32_t part_count = in.u32le();
  if (part_count > kMaxParts) return refuse("too many parts of sets", 44);
  if (in.left() < section_count * kSectionEntry_bytes)
    return refuse("section table is cut off", kHeader_bytes);
  return Frame{section_count, line_count, position_count, set_count, part_count};
}

bool all_zero(ByteView bytes) noexcept {
  return std::ranges::all_of(bytes, [](std::byte b) { return b == std::byte{0}; });
}

}  // namespace

struct View::Section {
  std::uint32_t kind, first_ref;
  std::size_t offset;
  ByteView bytes;
};

std::expected<View, Invalid> View::open(ByteView block) {
  const auto frame = read_frame(block);
  if (!frame) return std::unexpected(frame.error());
  View out;
  out.line_count_ = frame->line_count;
  out.position_count_ = frame->position_count;
  out.set_count_ = frame->set_count;
  out.part_count_ = frame->part_count;
  Reader table(block.subspan(kHeader_bytes, frame->section_count * kSectionEntry_bytes));
  std::size_t expected = kHeader_bytes + frame->section_count * kSectionEntry_bytes;
  std::uint32_t last_kind = 0;
  for (std::uint32_t i = 0; i < frame->section_count; ++i) {
    const std::size_t entry = kHeader_bytes + i * kSectionEntry_bytes;
    const std::uint32_t kind = table.u32le();
    const std::uint32_t first_ref = table.u32le();
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
    const Section section{kind, first_ref, start, block.subspan(start, bytes)};
    if (const auto read = out.read_section(section); !read) return std::unexpected(read.error());
    expected = start + bytes;
  }
  if (expected != block.size()) return refuse("bytes after the last section", expected);
  if (const auto whole = out.check_whole(); !whole) return std::unexpected(whole.error());
  return out;
}

std::expected<void, Invalid> View::read_section(const Section& s) {
  const auto keep = [](auto opened, auto& slot) -> std::expected<void, Invalid> {
    if (!opened) return std::unexpected(opened.error());
    slot = *opened;
    return {};
  };
  if (s.kind < kIndexCount) return read_index(s);
  if (s.kind != kResolveSection && s.first_ref != 0)
    return refuse("a section's first ref is wrong", s.offset);
  switch (s.kind) {
    case kResolveSection: {
      // Which refs may ask is the builder's word: asking once more costs a look-up, never a
      // wrong line.
      auto read = keep(RefList::open(s.bytes, s.offset, ref_count()), resolve_);
      if (read && resolve_.first_ref() != s.first_ref)
        return refuse("a section's first ref is wrong", s.offset);
      return read;
    }
    case kSlotSection:
      return read_slots(s);
    case kProgramSection:
      return keep(Programs::open(s.bytes, s.offset, ref_count()), programs_);
    case kSetSection:
      return read_sets(s);
    case kPatternSection:
      return keep(PatternTexts::open(s.bytes, s.offset), patterns_);
    case kZoneSection:
      return keep(Zones::open(s.bytes, s.offset), zones_);
    case kGroupSection:
      return read_groups(s);
    case kEntrySection:
      return read_entries(s);
    default:
      return refuse("a section of an unknown kind", s.offset);
  }
}

std::expected<void, Invalid> View::read_index(const Section& s) {
  const auto index = static_cast<Index>(s.kind);
  const std::uint32_t bound = ref_count();
  std::uint32_t first = kNone;
  const auto keep = [&first](auto opened, auto& slot) -> std::expected<void, Invalid> {
    if (!opened) return std::unexpected(opened.error());
    slot = *opened;
    first = slot.first_ref();
    return {};
  };
  std::expected<void, Invalid> read;
  switch (shape_of(index)) {
    case Shape::names:
      read = keep(NameIndex::open(s.bytes, s.offset, bound), names_);
      break;
    case Shape::keywords:
      read = keep(KeywordIndex::open(s.bytes, s.offset, bound), keywords_);
      break;
    case Shape::prefixes32:
      read = keep(Prefixes32::open(s.bytes, s.offset, bound), prefixes32_[s.kind]);
      break;
    case Shape::prefixes128:
      read = keep(Prefixes128::open(s.bytes, s.offset, bound), prefixes128_[s.kind]);
      break;
    case Shape::words:
      read = keep(WordIndex::open(s.bytes, s.offset, bound), words_[s.kind]);
      break;
    case Shape::list:
      read =
          keep(RefList::open(s.bytes, s.offset, bound), index == Index::always ? always_ : owner_);
      break;
  }
  if (!read) return read;
  if (first != s.first_ref) return refuse("a section's first ref is wrong", s.offset);
  first_refs_[s.kind] = first;
  present_ |= 1U << s.kind;
  return {};
}

/// {line, group, after} for each position; `after` lies behind it.
std::expected<void, Invalid> View::read_slots(const Section& s) {
  if (s.bytes.size() != 12 * static_cast<std::size_t>(position_count_) || position_count_ == 0)
    return refuse("slots: another number than positions", s.offset);
  slots_ = Words(s.bytes);
  for (std::uint32_t p = 0; p < position_count_; ++p) {
    const std::size_t at = 3 * static_cast<std::size_t>(p);
    if (slots_[at] >= line_count_) return refuse("slots: a line that does not exist", s.offset);
    if (slots_[at + 2] <= p || slots_[at + 2] > position_count_)
      return refuse("slots: a way on that leads back", s.offset);
  }
  return {};
}

/// {line, outer, end} for each; the outer one comes first, so that ways up end.
std::expected<void, Invalid> View::read_groups(const Section& s) {
  if (s.bytes.empty() || s.bytes.size() % 12 != 0) return refuse("groups: cut off", s.offset);
  groups_ = Words(s.bytes);
  const std::uint32_t count = groups_.size() / 3;
  if (count > kMaxLines) return refuse("groups: too many", s.offset);
  std::vector<std::uint8_t> depth(count, 1);
  for (std::uint32_t g = 0; g < count; ++g) {
    const Group here = group(g);
    if (here.line >= line_count_) return refuse("groups: a line that does not exist", s.offset);
    if (here.end > position_count_) return refuse("groups: an end behind the last", s.offset);
    if (here.outer == kNone) continue;
    if (here.outer >= g) return refuse("groups: an outer one that comes later", s.offset);
    if (here.end > group(here.outer).end)
      return refuse("groups: an end outside the outer one", s.offset);
    depth[g] = static_cast<std::uint8_t>(depth[here.outer] + 1);
    if (depth[g] > kMaxDepth) return refuse("groups: nested too deep", s.offset);
  }
  return {};
}

/// First position of each list but the first one.
std::expected<void, Invalid> View::read_entries(const Section& s) {
  if (s.bytes.empty() || s.bytes.size() % 4 != 0) return refuse("entries: cut off", s.offset);
  entries_ = Words(s.bytes);
  if (entries_.size() > kMaxEntries) return refuse("entries: too many", s.offset);
  std::uint32_t last = 0;
  for (std::uint32_t i = 0; i < entries_.size(); ++i) {
    if (entries_[i] < last || entries_[i] > position_count_)
      return refuse("entries: out of order", s.offset);
    last = entries_[i];
  }
  return {};
}

std::expected<void, Invalid> View::read_sets(const Section& s) {
  if (s.bytes.size() != 12 * static_cast<std::size_t>(set_count_) || set_count_ == 0)
    return refuse("sets: another number than the frame says", s.offset);
  sets_ = Words(s.bytes);
  std::uint32_t part = position_count_ + set_count_;
  for (std::uint32_t i = 0; i < set_count_; ++i) {
    const SetEntries here = set(i);
    if (((here.kinds | here.part_kinds) >> kIndexCount) != 0)
      return refuse("sets: an unknown kind of index", s.offset);
    if (here.first != part || here.end < part || here.end > ref_count())
      return refuse("sets: parts are out of place", s.offset);
    part = here.end;
  }
  if (part != ref_count()) return refuse("sets: parts of no set", s.offset);
  return {};
}

std::uint32_t View::behind_place(std::uint32_t position) const noexcept {
  const Slot here = slot(position);
  while (++position < here.after) {
    const Slot next = slot(position);
    if (next.line != here.line || next.group != here.group) break;
  }
  return position;
}

/// No way on leaves the list that is being walked, and every group that is named exists.
std::expected<void, Invalid> View::check_ways_on() const {
  const std::uint32_t group_count = groups_.size() / 3;
  for (std::uint32_t entry = 0; entry < entry_count(); ++entry) {
    const Window w = window(entry);
    for (std::uint32_t p = w.first; p < w.end && slots_.size() != 0; ++p) {
      const std::size_t at = 3 * static_cast<std::size_t>(p);
      if (slots_[at + 2] > w.end) return refuse("slots: a way on that leaves the list", 0);
      const std::uint32_t around = slots_[at + 1];
      if (around == kNone) continue;
      if (around >= group_count) return refuse("slots: a group that does not exist", 0);
      if (group(around).end <= p || group(around).end > w.end)
        return refuse("groups: a position outside", 0);
    }
  }
  return {};
}

/// Each has a program, which names no set: else one could lead back to itself.
std::expected<void, Invalid> View::check_parts() const {
  if (part_count_ != 0 && set_count_ == 0) return refuse("parts without sets", 44);
  for (std::uint32_t ref = position_count_ + set_count_; ref < ref_count(); ++ref) {
    if (programs_.root(ref) == kNone) return refuse("programs: a part without one", 0);
    bool nested = false;
    programs_.each_node(ref, [&nested](const Node& node) { nested |= node.op == Op::set; });
    if (nested) return refuse("programs: a set inside a set", 0);
  }
  return {};
}

/// Of those that run for every flow; one that several programs name counts once.
std::expected<void, Invalid> View::check_patterns() const {
  std::uint64_t steps = 0;
  std::vector<bool> counted(patterns_.count());
  for (std::uint32_t ref = always_.next(0); ref != kNone; ref = always_.next(ref + 1)) {
    programs_.each_node(ref, [&](const Node& node) {
      if (node.op != Op::domain_regex || counted[node.arg]) return;
      counted[node.arg] = true;
      steps += patterns_.engine(node.arg) == Engine::linear ? 1 : kBacktracking_steps;
    });
    if (steps > kMaxSteps) return refuse("patterns: too many for every flow", 0);
  }
  return {};
}

/// What only shows when all sections are read.
std::expected<void, Invalid> View::check_whole() const {
  if (slots_.size() == 0 && position_count_ != 0 && position_count_ != line_count_)
    return refuse("positions without lines", 0);
  if (sets_.size() != 3 * set_count_) return refuse("sets: the section is missing", 0);
  if (!programs_.names_only({set_count_, patterns_.count(), zones_.count()}))
    return refuse("programs: a set, pattern or zone that does not exist", 0);
  if (const auto parts = check_parts(); !parts) return parts;
  if (const auto patterns = check_patterns(); !patterns) return patterns;
  return check_ways_on();
}

}  // namespace sluice::ruleset
