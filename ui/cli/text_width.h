// cli/text_width.h - how many columns a text takes on a terminal, and text that is safe to show.
//
// Names of groups and nodes hold flags, CJK and emoji; names of hosts and users come from clients
// and may hold anything. Independent of the locale. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace sluice::cli {

/// Columns: 2 for wide characters, 0 for combining ones, 1 for others. Expects printable() text.
[[nodiscard]] std::size_t text_width(std::string_view text) noexcept;

/// Control characters (which would steer the terminal) become '?', bad UTF-8 becomes U+FFFD.
[[nodiscard]] std::string printable(std::string_view text);

/// At most `width` columns; what is cut off at the end is replaced by "…".
[[nodiscard]] std::string truncate(std::string_view text, std::size_t width);

/// One code point off the front of `text` (not empty); U+FFFD and one byte for bad UTF-8.
[[nodiscard]] char32_t take_code_point(std::string_view& text) noexcept;

}  // namespace sluice::cli
