// ruleset/word_index.h - whole texts of up to 255 bytes (users, listeners, MAC addresses), sorted.
//
// Few words, asked only in lists that have such lines: a binary search is enough. Thread:
// immutable view; the block must outlive it.
#pragma once

#include <expected>
#include <string_view>

#include "proto/ruleset/format.h"

namespace sluice::ruleset {

class WordIndex {
 public:
  inline static constexpr std::size_t kMaxWord_bytes = 255;

  WordIndex() noexcept = default;
  /// Checks order, bounds and lists.
  static std::expected<WordIndex, Invalid> open(ByteView section, std::size_t offset,
                                                std::uint32_t bound);

  /// The number of the word; kNone when it is not there.
  [[nodiscard]] std::uint32_t find(std::string_view word) const noexcept;
  /// First ref >= from of the word with this number (which may be kNone).
  [[nodiscard]] std::uint32_t next(std::uint32_t word, std::uint32_t from) const noexcept {
    return word == kNone ? kNone : first_in_list(lists_, entries_[2 * word + 1], from);
  }
  [[nodiscard]] std::uint32_t first_ref() const noexcept { return first_ref_; }

 private:
  /// Needs an offset that was checked.
  [[nodiscard]] std::string_view text(std::uint32_t word) const noexcept {
    const std::uint32_t at = entries_[2 * static_cast<std::size_t>(word)];
    return as_text(pool_.subspan(at + 1, std::to_integer<std::size_t>(pool_[at])));
  }

  std::uint32_t count_ = 0;
  std::uint32_t first_ref_ = kNone;
  Words entries_;  // pairs: offset in the pool, list
  Words lists_;
  ByteView pool_;  // size(1) | text
};

}  // namespace sluice::ruleset
