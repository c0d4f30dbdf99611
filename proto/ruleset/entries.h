// ruleset/entries.h - the keys of all indexes while a block is built, each with who holds it.
//
// A holder is a line (of one condition), a set, a place in the expanded order, or a part of a set
// (set_uses.h); places are only known when all lines are, so names of holders become refs at the
// end (ref_table.h). Texts lie in one pool: a name costs its bytes and 12 more. Thread: one owner.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "proto/ruleset/condition.h"
#include "proto/ruleset/format.h"
#include "proto/ruleset/prefix_index.h"

namespace sluice::ruleset {

struct Holder {
  enum class Kind : std::uint8_t { item, set, position, part };
  std::uint32_t word = 0;
  static constexpr Holder of(Kind kind, std::uint32_t number) noexcept {
    return {static_cast<std::uint32_t>(kind) << 30U | number};
  }
  [[nodiscard]] constexpr Kind kind() const noexcept { return static_cast<Kind>(word >> 30U); }
  [[nodiscard]] constexpr std::uint32_t number() const noexcept { return word & 0x3fffffffU; }
};

/// Bit per Index.
using Kinds = std::uint32_t;
[[nodiscard]] constexpr Kinds kind_bit(Index index) noexcept {
  return 1U << static_cast<unsigned>(index);
}

class Entries {
 public:
  struct Text {
    std::uint32_t offset;
    Holder holder;
    std::uint8_t size;
    std::uint8_t relations;  ///< names: how a name must lie below, see name_index.h
  };
  template <class Key>
  struct PrefixEntry {
    Key key;  ///< what lies behind `length` is zero
    Holder holder;
    std::uint8_t length;
  };

  /// Not in normal form: holds no name.
  Kinds add_name(Holder holder, std::string_view name, std::uint8_t relations);
  /// One that no name can hold, or an empty one: nothing.
  Kinds add_keyword(Holder holder, std::string_view keyword);
  Kinds add_prefix(Holder holder, const Prefix& prefix, Index v4);
  void add_list(Holder holder, Index index);
  /// Any atom that an index can hold. Returns the indexes that took it.
  Kinds add(Holder holder, const Condition& atom);

  [[nodiscard]] std::string_view text(const Text& entry) const noexcept {
    return std::string_view(pool_).substr(entry.offset, entry.size);
  }
  [[nodiscard]] const std::vector<Text>& texts(Index index) const noexcept {
    return texts_[static_cast<std::size_t>(index)];
  }
  [[nodiscard]] const std::vector<PrefixEntry<std::uint32_t>>& prefixes32(
      Index index) const noexcept {
    return prefixes32_[static_cast<std::size_t>(index)];
  }
  [[nodiscard]] const std::vector<PrefixEntry<Key128>>& prefixes128(Index index) const noexcept {
    return prefixes128_[static_cast<std::size_t>(index)];
  }
  [[nodiscard]] const std::vector<Holder>& list(Index index) const noexcept {
    return index == Index::always ? always_ : owner_;
  }

 private:
  Kinds add_text(Holder holder, Index index, std::string_view text, std::uint8_t relations = 0);
  Kinds add_range(Holder holder, Index index, std::uint32_t first, std::uint32_t last,
                  unsigned bits);
  Kinds add_codes(Holder holder, const Condition& atom);

  std::string pool_;
  std::array<std::vector<Text>, kIndexCount> texts_;
  std::array<std::vector<PrefixEntry<std::uint32_t>>, kIndexCount> prefixes32_;
  std::array<std::vector<PrefixEntry<Key128>>, kIndexCount> prefixes128_;
  std::vector<Holder> always_;
  std::vector<Holder> owner_;
};

}  // namespace sluice::ruleset
