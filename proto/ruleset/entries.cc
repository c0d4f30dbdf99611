#include "proto/ruleset/entries.h"

#include <algorithm>

#include "proto/common/name.h"
#include "proto/common/text.h"
#include "proto/ruleset/keyword_index.h"
#include "proto/ruleset/name_index.h"
#include "proto/ruleset/word_index.h"

namespace sluice::ruleset {
namespace {

/// A byte may stand in a name or is the dot between labels.
bool can_stand_in_a_name(std::string_view keyword) {
  if (keyword.empty() || keyword.size() > KeywordIndex::kMaxDepth) return false;
  return std::ranges::all_of(keyword, [](char c) {
    const char one[2] = {c, '\0'};
    return c == '.' || is_normal_name({one, 1});
  });
}

constexpr Index wide(Index v4) noexcept {
  return static_cast<Index>(static_cast<unsigned>(v4) + 1);
}

}  // namespace

Kinds Entries::add_text(Holder holder, Index index, std::string_view text, std::uint8_t relations) {
  texts_[static_cast<std::size_t>(index)].push_back({static_cast<std::uint32_t>(pool_.size()),
                                                     holder, static_cast<std::uint8_t>(text.size()),
                                                     relations});
  pool_ += text;
  return kind_bit(index);
}

Kinds Entries::add_name(Holder holder, std::string_view name, std::uint8_t relations) {
  return is_normal_name(name) ? add_text(holder, Index::names, name, relations) : 0;
}

Kinds Entries::add_keyword(Holder holder, std::string_view keyword) {
  std::string lower(keyword);
  std::ranges::transform(lower, lower.begin(), to_lower);
  return can_stand_in_a_name(lower) ? add_text(holder, Index::keywords, lower) : 0;
}

Kinds Entries::add_prefix(Holder holder, const Prefix& prefix, Index v4) {
  const Prefix clean = Prefix::of(prefix.base, prefix.length);
  if (clean.base.is_v4()) {
    prefixes32_[static_cast<std::size_t>(v4)].push_back(
        {clean.base.v4_value(), holder, clean.length});
    return kind_bit(v4);
  }
  if (!clean.base.is_v6()) return 0;
  prefixes128_[static_cast<std::size_t>(wide(v4))].push_back(
      {v6_key(clean.base), holder, clean.length});
  return kind_bit(wide(v4));
}

void Entries::add_list(Holder holder, Index index) {
  (index == Index::always ? always_ : owner_).push_back(holder);
}

/// A range becomes the fewest aligned blocks of a power of two, as prefixes of `bits` bits.
Kinds Entries::add_range(Holder holder, Index index, std::uint32_t first, std::uint32_t last,
                         unsigned bits) {
  const std::uint32_t end = std::min(last, (1U << bits) - 1) + 1;
  if (first >= end) return 0;
  while (first < end) {
    unsigned block = 0;
    while (block < bits && first % (2U << block) == 0 && first + (2U << block) <= end) ++block;
    prefixes32_[static_cast<std::size_t>(index)].push_back(
        {first << (32 - bits), holder, static_cast<std::uint8_t>(bits - block)});
    first += 1U << block;
  }
  return kind_bit(index);
}

Kinds Entries::add_codes(Holder holder, const Condition& atom) {
  switch (atom.op) {
    case Op::destination_port:
      return add_range(holder, Index::destination_port, atom.first, atom.last, 16);
    case Op::source_port:
      return add_range(holder, Index::source_port, atom.first, atom.last, 16);
    case Op::in_port:
      return add_range(holder, Index::in_port, atom.first, atom.last, 16);
    case Op::dscp:
      return add_range(holder, Index::dscp, atom.first, atom.last, 8);
    case Op::network:
      return add_range(holder, Index::network, atom.first, atom.first, 8);
    case Op::in_type: {
      Kinds out = 0;
      for (std::uint32_t type = 0; type < 32; ++type)
        if (((atom.first >> type) & 1U) != 0)
          out |= add_range(holder, Index::in_type, type, type, 8);
      return out;
    }
    default:
      return 0;
  }
}

Kinds Entries::add(Holder holder, const Condition& atom) {
  const auto tail = [&](Index v4) -> Kinds {
    if (atom.address.is_v4()) {
      const std::uint32_t key = reversed(atom.address.v4_value());
      return add_prefix(holder, Prefix::of(IpAddress::v4(key), atom.length), v4);
    }
    if (!atom.address.is_v6()) return 0;
    prefixes128_[static_cast<std::size_t>(wide(v4))].push_back(
        {masked(reversed(v6_key(atom.address)), atom.length), holder, atom.length});
    return kind_bit(wide(v4));
  };
  const auto word = [&](Index index) -> Kinds {
    if (atom.text.empty() || atom.text.size() > WordIndex::kMaxWord_bytes) return 0;
    return add_text(holder, index, atom.text);
  };
  switch (atom.op) {
    case Op::always:
      add_list(holder, Index::always);
      return kind_bit(Index::always);
    case Op::domain:
      return add_name(holder, atom.text, kWhole);
    case Op::domain_suffix:
      return add_name(holder, atom.text, kWhole | kChild | kDeeper);
    case Op::domain_below:
      return add_name(holder, atom.text, kChild | kDeeper);
    case Op::domain_child:
      return add_name(holder, atom.text, kChild);
    case Op::domain_keyword:
      return add_keyword(holder, atom.text);
    case Op::destination:
      return add_prefix(holder, {atom.address, atom.length}, Index::destination_v4);
    case Op::source:
      return add_prefix(holder, {atom.address, atom.length}, Index::source_v4);
    case Op::destination_suffix:
      return tail(Index::destination_tail_v4);
    case Op::source_suffix:
      return tail(Index::source_tail_v4);
    case Op::source_mac:
      return word(Index::source_mac);
    case Op::user:
      return word(Index::user);
    case Op::inbound_name:
      return word(Index::inbound_name);
    case Op::rematch_name:
      return word(Index::rematch_name);
    default:
      return add_codes(holder, atom);
  }
}

}  // namespace sluice::ruleset
