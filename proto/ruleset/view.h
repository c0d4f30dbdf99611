// ruleset/view.h - a rule-set block, checked in full, used in place.
//
// Thread: immutable and copyable; the bytes must outlive every copy and must not change.
#pragma once

#include <array>
#include <cstdint>
#include <expected>

#include "proto/ruleset/format.h"
#include "proto/ruleset/keyword_index.h"
#include "proto/ruleset/name_index.h"
#include "proto/ruleset/pattern_texts.h"
#include "proto/ruleset/prefix_index.h"
#include "proto/ruleset/programs.h"
#include "proto/ruleset/ref_list.h"
#include "proto/ruleset/word_index.h"
#include "proto/ruleset/zones.h"

namespace sluice::ruleset {

using Prefixes32 = PrefixIndex<std::uint32_t>;
using Prefixes128 = PrefixIndex<Key128>;

/// Where a position comes from.
struct Slot {
  std::uint32_t line;  ///< the rule with the target
  std::uint32_t top;   ///< the rule of the walked list: `line`, or the outermost SUB-RULE around it
  std::uint32_t after;  ///< position behind those of `top`
  std::uint32_t group;  ///< the innermost SUB-RULE around it, for View::group(); kNone: none
};

/// A SUB-RULE and the positions of its list.
struct Group {
  std::uint32_t line;
  std::uint32_t outer;  ///< the SUB-RULE around it; kNone: none
  std::uint32_t end;    ///< position behind its last one
};

/// Positions of one list that can be walked by itself.
struct Window {
  std::uint32_t first;
  std::uint32_t end;
};

/// A set inside conditions: which indexes hold its entries, and its parts, the entries that need a
/// program each. Kinds: bit per Index.
struct SetEntries {
  std::uint32_t kinds;
  bool asks;                 ///< an entry asks for an address
  std::uint32_t part_kinds;  ///< the indexes that lead to its parts
  bool parts_ask;            ///< so does the list of refs that ask for an address
  std::uint32_t first, end;  ///< refs of the parts
};

class View {
 public:
  /// In a set's words of kinds: an entry, or a part, asks for an address.
  inline static constexpr std::uint32_t kSetAsks = 1U << 31U;

  /// A list without lines.
  View() noexcept = default;
  /// Checks the frame, the checksum, and every section down to the last item, in time linear in
  /// the size. What it accepts can be matched without any further check. Alignment of `block` does
  /// not matter.
  static std::expected<View, Invalid> open(ByteView block);

  [[nodiscard]] std::uint32_t line_count() const noexcept { return line_count_; }
  [[nodiscard]] std::uint32_t position_count() const noexcept { return position_count_; }
  /// Needs position < position_count().
  [[nodiscard]] Slot slot(std::uint32_t position) const noexcept {
    if (slots_.size() == 0) return {position, position, position + 1, kNone};
    const std::size_t at = 3 * static_cast<std::size_t>(position);
    Slot out{slots_[at], slots_[at], slots_[at + 2], slots_[at + 1]};
    for (std::uint32_t g = out.group; g != kNone; g = group(g).outer) out.top = group(g).line;
    return out;
  }
  /// Needs a number that slot() or group() named.
  [[nodiscard]] Group group(std::uint32_t number) const noexcept {
    const std::size_t at = 3 * static_cast<std::size_t>(number);
    return {groups_[at], groups_[at + 1], groups_[at + 2]};
  }

  /// Lists that a walk may begin with: the list proper (0), and those of Builder::begin_entry().
  [[nodiscard]] std::uint32_t entry_count() const noexcept { return entries_.size() + 1; }
  /// Needs entry < entry_count().
  [[nodiscard]] Window window(std::uint32_t entry) const noexcept {
    return {entry == 0 ? 0 : entries_[entry - 1],
            entry == entries_.size() ? position_count_ : entries_[entry]};
  }

  /// The next position of another line: behind all places of the same line that stand together.
  [[nodiscard]] std::uint32_t behind_place(std::uint32_t position) const noexcept;

  /// The indexes that have entries: bit per Index.
  [[nodiscard]] std::uint32_t present() const noexcept { return present_; }
  /// Smallest ref in the index; kNone when no line has this kind of key.
  [[nodiscard]] std::uint32_t first_ref(Index index) const noexcept {
    return first_refs_[static_cast<std::size_t>(index)];
  }
  /// First ref >= from that asks for an address; kNone when there is none.
  [[nodiscard]] std::uint32_t next_resolve(std::uint32_t from) const noexcept {
    return resolve_.next(from);
  }

  [[nodiscard]] const NameIndex& names() const noexcept { return names_; }
  [[nodiscard]] const KeywordIndex& keywords() const noexcept { return keywords_; }
  /// Needs an index of that shape.
  [[nodiscard]] const Prefixes32& prefixes32(Index index) const noexcept {
    return prefixes32_[static_cast<std::size_t>(index)];
  }
  [[nodiscard]] const Prefixes128& prefixes128(Index index) const noexcept {
    return prefixes128_[static_cast<std::size_t>(index)];
  }
  [[nodiscard]] const WordIndex& words(Index index) const noexcept {
    return words_[static_cast<std::size_t>(index)];
  }
  [[nodiscard]] const RefList& list(Index index) const noexcept {
    return index == Index::always ? always_ : owner_;
  }
  [[nodiscard]] const Programs& programs() const noexcept { return programs_; }
  [[nodiscard]] const PatternTexts& patterns() const noexcept { return patterns_; }
  [[nodiscard]] const Zones& zones() const noexcept { return zones_; }
  /// Needs a set number of a program.
  [[nodiscard]] SetEntries set(std::uint32_t number) const noexcept {
    const std::size_t at = 3 * static_cast<std::size_t>(number);
    const std::uint32_t first_part = position_count_ + set_count_;
    const std::uint32_t end = number + 1 == set_count_ ? part_count_ : sets_[at + 5];
    return {sets_[at] & ~kSetAsks,           (sets_[at] & kSetAsks) != 0, sets_[at + 1] & ~kSetAsks,
            (sets_[at + 1] & kSetAsks) != 0, first_part + sets_[at + 2],  first_part + end};
  }

 private:
  struct Section;
  [[nodiscard]] std::expected<void, Invalid> read_section(const Section& section);
  [[nodiscard]] std::expected<void, Invalid> read_index(const Section& section);
  [[nodiscard]] std::expected<void, Invalid> read_slots(const Section& section);
  [[nodiscard]] std::expected<void, Invalid> read_sets(const Section& section);
  [[nodiscard]] std::expected<void, Invalid> read_groups(const Section& section);
  [[nodiscard]] std::expected<void, Invalid> read_entries(const Section& section);
  [[nodiscard]] std::uint32_t ref_count() const noexcept {
    return position_count_ + set_count_ + part_count_;
  }
  [[nodiscard]] std::expected<void, Invalid> check_whole() const;
  [[nodiscard]] std::expected<void, Invalid> check_parts() const;
  [[nodiscard]] std::expected<void, Invalid> check_patterns() const;
  [[nodiscard]] std::expected<void, Invalid> check_ways_on() const;

  std::uint32_t line_count_ = 0;
  std::uint32_t position_count_ = 0;
  std::uint32_t set_count_ = 0;
  std::uint32_t part_count_ = 0;
  std::uint32_t present_ = 0;
  std::array<std::uint32_t, kIndexCount> first_refs_ = filled();
  NameIndex names_;
  KeywordIndex keywords_;
  std::array<Prefixes32, kIndexCount> prefixes32_;
  std::array<Prefixes128, kIndexCount> prefixes128_;
  std::array<WordIndex, kIndexCount> words_;
  RefList always_;
  RefList owner_;
  RefList resolve_;
  Words slots_;
  Words groups_;
  Words entries_;
  Words sets_;
  Programs programs_;
  PatternTexts patterns_;
  Zones zones_;

  static constexpr std::array<std::uint32_t, kIndexCount> filled() noexcept {
    std::array<std::uint32_t, kIndexCount> out{};
    out.fill(kNone);
    return out;
  }
};

}  // namespace sluice::ruleset
