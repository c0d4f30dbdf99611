// ruleset/patterns.h - the regular expressions of a block, compiled and ready to run.
//
// RE2 runs in time linear in the text. What it cannot express (look-around, back references) runs
// on PCRE2 under match, depth and heap limits; a text that passes them does not match.
//
// Memory: at most kAllPatterns_bytes, most of it filled while flows are matched (RE2 keeps the
// states it has seen, so a decision may allocate until it has met its kind of name).
// PCRE2's working memory is one block per thread, bounded by kHeapLimit_kib.
//
// Thread: built where a snapshot is built; search() from any. RE2 guards its states by a lock that
// is taken shared.
#pragma once

#include <cstdint>
#include <expected>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "proto/common/result.h"
#include "proto/ruleset/pattern_texts.h"

namespace sluice::ruleset {

/// What a pattern takes of the bounds of a block.
struct PatternCost {
  Engine engine = Engine::linear;
  std::uint32_t bytes = 0;  ///< at most
};

/// Errors as check_pattern().
[[nodiscard]] Result<PatternCost> cost_of_pattern(std::string_view pattern);

/// Which engine runs this. Errors: too_large (kMaxPattern_bytes), malformed. A pattern with
/// `backtracking` deserves a warning.
[[nodiscard]] Result<Engine> check_pattern(std::string_view pattern);

/// Texts of which at least one, in lower case, is in every text that the pattern matches; empty
/// when there are none.
[[nodiscard]] std::vector<std::string> necessary_literals(std::string_view pattern);

class Patterns {
 public:
  Patterns() noexcept;
  Patterns(Patterns&&) noexcept;
  Patterns& operator=(Patterns&&) noexcept;
  ~Patterns();

  /// Errors: the number of the pattern that does not compile with its engine, or with which they
  /// pass kAllPatterns_bytes.
  static std::expected<Patterns, std::uint32_t> compile(const PatternTexts& texts);

  /// Whether the pattern is found anywhere in `text`, in any case. Needs index < texts.count().
  [[nodiscard]] bool search(std::uint32_t index, std::string_view text) const noexcept;

 private:
  class Compiled;
  std::vector<Compiled> compiled_;
};

}  // namespace sluice::ruleset
