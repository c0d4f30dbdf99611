// ruleset/glob.h - texts with wildcards.
#pragma once

#include <string_view>

#include "proto/common/text.h"

namespace sluice::ruleset {

/// `*` any run of bytes, also none; `?` any one byte. Letters of any case are equal. At most
/// pattern x text steps: after a mismatch only the last `*` takes one byte more.
[[nodiscard]] inline bool matches_glob(std::string_view pattern, std::string_view text) noexcept {
  std::size_t p = 0;
  std::size_t t = 0;
  std::size_t star = std::string_view::npos;
  std::size_t taken = 0;  // where the text behind the star began last
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      taken = t;
    } else if (p < pattern.size() &&
               (pattern[p] == '?' || to_lower(pattern[p]) == to_lower(text[t]))) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++taken;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

/// Label by label; a label `*` stands for any one.
[[nodiscard]] inline bool matches_labels(std::string_view pattern, std::string_view name) noexcept {
  while (true) {
    const std::size_t p = pattern.find('.');
    const std::size_t n = name.find('.');
    const std::string_view label = pattern.substr(0, p);
    if (label != "*" && label != name.substr(0, n)) return false;
    const bool last = p == std::string_view::npos;
    if (last || n == std::string_view::npos) return last && n == std::string_view::npos;
    pattern.remove_prefix(p + 1);
    name.remove_prefix(n + 1);
  }
}

}  // namespace sluice::ruleset
