// Builder::finish(): the sections of a plan, and the frame around them.
#include <algorithm>

#include "proto/ruleset/bounds.h"
#include "proto/ruleset/builder.h"
#include "proto/ruleset/index_writers.h"
#include "proto/ruleset/plan.h"
#include "proto/ruleset/section_writer.h"

namespace sluice::ruleset {
namespace {

struct Section {
  std::uint32_t kind;
  SectionBytes content;
};

struct Counts {
  std::uint32_t lines, positions, sets, parts;
};

std::uint64_t align(std::uint64_t size) {
  return (size + kSectionAlign - 1) / kSectionAlign * kSectionAlign;
}

/// The index whose entries serve this one when a set is compared with the other side.
Index mirrored(Index index) {
  switch (index) {
    case Index::destination_v4:
      return Index::source_v4;
    case Index::destination_v6:
      return Index::source_v6;
    case Index::source_v4:
      return Index::destination_v4;
    case Index::source_v6:
      return Index::destination_v6;
    case Index::destination_tail_v4:
      return Index::source_tail_v4;
    case Index::destination_tail_v6:
      return Index::source_tail_v6;
    case Index::source_tail_v4:
      return Index::destination_tail_v4;
    case Index::source_tail_v6:
      return Index::destination_tail_v6;
    case Index::destination_port:
      return Index::source_port;
    case Index::source_port:
      return Index::destination_port;
    default:
      return index;
  }
}

std::vector<std::byte> frame(std::vector<Section> sections, const Counts& counts) {
  SectionWriter out;
  const std::uint64_t table_end = kHeader_bytes + sections.size() * kSectionEntry_bytes;
  std::uint64_t size = table_end;
  for (const Section& s : sections) size = align(size) + s.content.bytes.size();
  out.reserve(static_cast<std::size_t>(size));
  out.text(kMagic);
  out.u16(kFormatVersion);
  out.u16(kHeader_bytes);
  out.u32(static_cast<std::uint32_t>(sections.size()));
  out.u64(size);
  out.u32(counts.lines);
  out.u32(counts.positions);
  out.u64(0);  // the checksum, below
  out.u32(counts.sets);
  out.u32(counts.parts);
  std::uint64_t offset = table_end;
  for (const Section& s : sections) {
    offset = align(offset);
    out.u32(s.kind);
    out.u32(s.content.first_ref);
    out.u64(offset);
    out.u64(s.content.bytes.size());
    offset += s.content.bytes.size();
  }
  std::vector<std::byte> block = std::move(out).take();
  for (Section& s : sections) {
    block.resize(static_cast<std::size_t>(align(block.size())));
    block.insert(block.end(), s.content.bytes.begin(), s.content.bytes.end());
    s.content.bytes = {};
  }
  Writer sum(ByteSpan(block).subspan(kChecksumOffset, 8));
  sum.u64le(checksum(block));
  return block;
}

/// Gathers the entries of both holders of an index: the Builder's and the Plan's.
class Sections {
 public:
  Sections(const Builder::Source& source, const Plan& plan) : source_(source), plan_(plan) {}

  [[nodiscard]] Result<SectionBytes> index(Index index, LeftOut& left_out) const {
    switch (shape_of(index)) {
      case Shape::names:
        return write_names(texts(index), plan_.refs, left_out);
      case Shape::keywords:
        return write_keywords(texts(index), plan_.refs, left_out);
      case Shape::words:
        return write_words(texts(index), plan_.refs);
      case Shape::prefixes32:
        return write_prefixes(prefixes<std::uint32_t>(index), plan_.refs);
      case Shape::prefixes128:
        return write_prefixes(prefixes<Key128>(index), plan_.refs);
      case Shape::list:
        return write_list(list(index));
    }
    return SectionBytes{};
  }

 private:
  [[nodiscard]] std::vector<TextRecord> texts(Index index) const {
    std::vector<TextRecord> out;
    out.reserve(source_.entries.texts(index).size());
    for (const Entries* entries : {&source_.entries, &plan_.entries}) {
      for (const Entries::Text& text : entries->texts(index)) {
        const std::uint32_t source = plan_.refs.source(text.holder, Uses::both);
        if (source != kNone) out.push_back({entries->text(text), source, text.relations});
      }
    }
    return out;
  }

  template <class Key>
  static const auto& prefixes_of(const Entries& entries, Index index) {
    if constexpr (sizeof(Key) == 4)
      return entries.prefixes32(index);
    else
      return entries.prefixes128(index);
  }

  template <class Key>
  [[nodiscard]] std::vector<PrefixRecord<Key>> prefixes(Index index) const {
    std::vector<PrefixRecord<Key>> out;
    const Index other = mirrored(index);
    const auto add = [&](const Entries& entries, Index from, Uses uses) {
      for (const auto& entry : prefixes_of<Key>(entries, from)) {
        const std::uint32_t source = plan_.refs.source(entry.holder, uses);
        if (source != kNone) out.push_back({entry.key, source, entry.length});
      }
    };
    for (const Entries* entries : {&source_.entries, &plan_.entries}) {
      add(*entries, index, other == index ? Uses::both : Uses::destination);
      if (other != index) add(*entries, other, Uses::source);
    }
    return out;
  }

  [[nodiscard]] std::vector<std::uint32_t> list(Index index) const {
    std::vector<std::uint32_t> out;
    for (const Entries* entries : {&source_.entries, &plan_.entries}) {
      for (const Holder holder : entries->list(index)) {
        const std::uint32_t source = plan_.refs.source(holder, Uses::both);
        if (source == kNone) continue;
        const auto refs = plan_.refs.refs(source);
        out.insert(out.end(), refs.begin(), refs.end());
      }
    }
    return out;
  }

  const Builder::Source& source_;
  const Plan& plan_;
};

SectionBytes words_section(const std::vector<std::uint32_t>& words, std::uint32_t first_ref = 0) {
  SectionWriter out;
  out.words(words);
  return {std::move(out).take(), first_ref};
}

/// Left out when every line is one position.
SectionBytes slot_section(const std::vector<Slot>& slots, std::uint32_t line_count) {
  bool plain = slots.size() == line_count;
  for (std::uint32_t p = 0; p < slots.size() && plain; ++p)
    plain = slots[p].line == p && slots[p].group == kNone && slots[p].after == p + 1;
  SectionWriter out;
  if (!plain) {
    for (const Slot& slot : slots) {
      out.u32(slot.line);
      out.u32(slot.group);
      out.u32(slot.after);
    }
  }
  return {std::move(out).take(), 0};
}

SectionBytes group_section(const std::vector<Group>& groups) {
  SectionWriter out;
  for (const Group& group : groups) {
    out.u32(group.line);
    out.u32(group.outer);
    out.u32(group.end);
  }
  return {std::move(out).take(), 0};
}

SectionBytes zone_section(const std::vector<Zone>& zones) {
  SectionWriter out;
  if (zones.empty()) return {};
  std::uint32_t total = 0;
  for (const Zone& zone : zones) total += static_cast<std::uint32_t>(zone.transitions.size());
  out.u32(static_cast<std::uint32_t>(zones.size()));
  out.u32(total);
  std::uint32_t first = 0;
  for (const Zone& zone : zones) {
    const auto count = static_cast<std::uint32_t>(zone.transitions.size());
    out.u32(first);
    out.u32(count);
    out.u32(static_cast<std::uint32_t>(zone.first_offset_s));
    first += count;
  }
  for (const Zone& zone : zones) {
    for (const Zone::Transition& t : zone.transitions) {
      out.u64(static_cast<std::uint64_t>(t.at));
      out.u32(static_cast<std::uint32_t>(t.offset_s));
    }
  }
  return {std::move(out).take(), 0};
}

}  // namespace

Result<std::vector<std::byte>> Builder::finish() {
  if (wrong_ || group_ != kNone) return fail(Errc::malformed);
  if (line_count_ > kMaxLines) return fail(Errc::too_large);
  Plan plan(source_);
  if (const Status made = plan.make(); !made) return fail(made.error());
  const auto position_count = static_cast<std::uint32_t>(plan.slots.size());
  const auto set_count = static_cast<std::uint32_t>(plan.sets.size() / 3);
  left_out_ = std::move(plan.left_out);

  std::vector<Section> sections;
  const auto add = [&sections](std::uint32_t kind, SectionBytes content) {
    if (!content.bytes.empty()) sections.push_back({kind, std::move(content)});
  };
  const Sections indexes(source_, plan);
  for (std::uint32_t kind = 0; kind < kIndexCount; ++kind) {
    Result<SectionBytes> section = indexes.index(static_cast<Index>(kind), left_out_);
    if (!section) return fail(section.error());
    add(kind, std::move(*section));
  }
  add(kResolveSection,
      words_section(plan.resolve, plan.resolve.empty() ? 0 : plan.resolve.front()));
  add(kSlotSection, slot_section(plan.slots, line_count_));
  add(kProgramSection, {plan.programs.programs(position_count + set_count + plan.part_count), 0});
  add(kSetSection, words_section(plan.sets));
  add(kPatternSection, {plan.programs.patterns(), 0});
  add(kZoneSection, zone_section(source_.zones));
  add(kGroupSection, group_section(plan.groups));
  add(kEntrySection, words_section(plan.starts));

  std::uint64_t size = kHeader_bytes;
  for (const Section& s : sections)
    size += kSectionEntry_bytes + kSectionAlign + s.content.bytes.size();
  if (size > kMaxBlock_bytes) return fail(Errc::too_large);
  return frame(std::move(sections), {line_count_, position_count, set_count, plan.part_count});
}

}  // namespace sluice::ruleset
