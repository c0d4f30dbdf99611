// ruleset/ref_table.h - from holders to refs, when all lines and sets are known.
//
// A source is a number that stands for refs: the ref itself, or a set's list. Writers keep sources
// beside their keys, so that 100,000 names of one set cost one number each.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "proto/ruleset/entries.h"

namespace sluice::ruleset {

/// Which uses of a set an entry serves.
enum class Uses : std::uint8_t {
  destination,  ///< compared with the destination
  source,       ///< the same entry compared with the source
  both,         ///< entries that have no side
};

class RefTable {
 public:
  inline static constexpr std::uint32_t kSetBit = 1U << 31U;
  inline static constexpr std::uint32_t kPartBit = 1U << 30U;  ///< with kSetBit

  void resize_sets(std::size_t count) { sets_.resize(count); }
  /// The position of the next item.
  void add_item(std::uint32_t position) { items_.push_back(position); }
  void add_use(SetId set, Compared side, std::uint32_t ref) {
    sets_[set.index][static_cast<std::size_t>(side)].push_back(ref);
  }
  /// The next part, which leads to `positions`, ascending, and to its own ref behind them.
  void add_part(std::span<const std::uint32_t> positions, std::uint32_t ref) {
    parts_.push_back(part_refs_.size());
    part_refs_.insert(part_refs_.end(), positions.begin(), positions.end());
    part_refs_.push_back(ref);
  }
  /// Sorts the lists; no more uses after it.
  void close() {
    for (Lists& lists : sets_) {
      auto& [to, from, both] = lists;
      both = to;
      both.insert(both.end(), from.begin(), from.end());
      for (auto& list : lists) {
        std::ranges::sort(list);
        list.erase(std::ranges::unique(list).begin(), list.end());
      }
    }
  }

  /// kNone: nobody uses the entry.
  [[nodiscard]] std::uint32_t source(Holder holder, Uses uses) const {
    switch (holder.kind()) {
      case Holder::Kind::item:
        return uses == Uses::source ? kNone : items_[holder.number()];
      case Holder::Kind::position:
        return uses == Uses::source ? kNone : holder.number();
      case Holder::Kind::part:
        return uses == Uses::source ? kNone : kSetBit | kPartBit | holder.number();
      case Holder::Kind::set:
        break;
    }
    const auto which = static_cast<std::uint32_t>(uses);
    if (sets_[holder.number()][which].empty()) return kNone;
    return kSetBit | (3 * holder.number() + which);
  }
  /// `source` must outlive the span.
  [[nodiscard]] std::span<const std::uint32_t> refs(const std::uint32_t& source) const {
    if ((source & kSetBit) == 0) return {&source, 1};
    if ((source & kPartBit) != 0) {
      const std::size_t part = source & ~(kSetBit | kPartBit);
      const std::size_t end = part + 1 == parts_.size() ? part_refs_.size() : parts_[part + 1];
      return std::span(part_refs_).subspan(parts_[part], end - parts_[part]);
    }
    const std::uint32_t list = source & ~kSetBit;
    return sets_[list / 3][list % 3];
  }

 private:
  using Lists = std::array<std::vector<std::uint32_t>, 3>;
  std::vector<std::uint32_t> items_;
  std::vector<Lists> sets_;
  std::vector<std::size_t> parts_;  // first of each in part_refs_
  std::vector<std::uint32_t> part_refs_;
};

}  // namespace sluice::ruleset
