// ruleset/view.h - a rule-set block, checked in full, used in place.
//
// Thread: immutable and copyable; the bytes must outlive every copy and must not change.
#pragma once

#include <cstdint>
#include <expected>

#include "proto/ruleset/format.h"
#include "proto/ruleset/keyword_index.h"
#include "proto/ruleset/name_index.h"
#include "proto/ruleset/prefix_index.h"

namespace sluice::ruleset {

using Prefixes32 = PrefixIndex<std::uint32_t>;
using Prefixes128 = PrefixIndex<Key128>;

class View {
 public:
  /// A list without lines.
  View() noexcept = default;
  /// Checks the frame, the checksum, and every section down to the last item, in time linear in
  /// the size. What it accepts can be matched without any further check. Alignment of `block` does
  /// not matter.
  static std::expected<View, Invalid> open(ByteView block);

  [[nodiscard]] std::uint32_t line_count() const noexcept { return line_count_; }
  /// Smallest position in the index; kNone when no line has this kind of key.
  [[nodiscard]] std::uint32_t first_position(Index index) const noexcept;
  /// First position >= from whose line asks for an address; kNone when there is none.
  [[nodiscard]] std::uint32_t next_resolve(std::uint32_t from) const noexcept;

  [[nodiscard]] const NameIndex& names() const noexcept { return names_; }
  [[nodiscard]] const KeywordIndex& keywords() const noexcept { return keywords_; }
  /// Needs destination_v4, source_v4, a port, network, in_type or always.
  [[nodiscard]] const Prefixes32& prefixes32(Index index) const noexcept {
    return small_[static_cast<std::size_t>(index)];
  }
  /// Needs destination_v6 or source_v6.
  [[nodiscard]] const Prefixes128& prefixes128(Index index) const noexcept {
    return index == Index::destination_v6 ? destination_v6_ : source_v6_;
  }

 private:
  struct Section;
  [[nodiscard]] std::expected<void, Invalid> read_section(const Section& section);
  [[nodiscard]] std::expected<void, Invalid> read_resolve(const Section& section);

  std::uint32_t line_count_ = 0;
  NameIndex names_;
  KeywordIndex keywords_;
  Prefixes32 small_[kIndexCount];
  Prefixes128 destination_v6_;
  Prefixes128 source_v6_;
  Words resolve_;
  std::uint32_t first_positions_[kIndexCount] = {kNone, kNone, kNone, kNone, kNone, kNone,
                                                 kNone, kNone, kNone, kNone, kNone};
};

}  // namespace sluice::ruleset
