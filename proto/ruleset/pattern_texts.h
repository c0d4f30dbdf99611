// ruleset/pattern_texts.h - the regular expressions of a block, as texts; patterns.h runs them.
//
// Thread: immutable view; the block must outlive it.
#pragma once

#include <expected>
#include <string_view>

#include "proto/ruleset/format.h"

namespace sluice::ruleset {

/// Which engine runs a pattern. Values are those of the format.
enum class Engine : std::uint8_t {
  linear = 0,        ///< RE2: time linear in the text
  backtracking = 1,  ///< PCRE2 with match and depth limits: what RE2 cannot express
};

class PatternTexts {
 public:
  PatternTexts() noexcept = default;
  /// Checks bounds and engines. Whether the texts are patterns is for patterns.h to find out.
  static std::expected<PatternTexts, Invalid> open(ByteView section, std::size_t offset);

  [[nodiscard]] std::uint32_t count() const noexcept { return count_; }
  [[nodiscard]] std::string_view text(std::uint32_t index) const noexcept {
    const std::size_t at = 2 * static_cast<std::size_t>(index);
    return as_text(pool_.subspan(entries_[at], entries_[at + 1] >> 8U));
  }
  [[nodiscard]] Engine engine(std::uint32_t index) const noexcept {
    return static_cast<Engine>(entries_[2 * static_cast<std::size_t>(index) + 1] & 0xffU);
  }

 private:
  std::uint32_t count_ = 0;
  Words entries_;  // pairs: offset in the pool, size << 8 | engine
  ByteView pool_;
};

}  // namespace sluice::ruleset
