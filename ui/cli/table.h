// cli/table.h - rows of text as aligned columns that fit a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace sluice::cli {

enum class Align : std::uint8_t { left, right };

struct Column {
  std::string title;
  Align align = Align::left;
  bool shrinks = false;  ///< may be cut with "…" when the table is too wide
};

/// Lines that end in '\n', without blanks at their ends; the first holds the titles. Columns are
/// two blanks apart. `width` 0 = as wide as it gets. Shrinking columns give way, the widest first,
/// down to kLeastColumn; then the line itself is cut.
[[nodiscard]] std::string layout(const std::vector<Column>& columns,
                                 const std::vector<std::vector<std::string>>& rows,
                                 std::size_t width);

inline constexpr std::size_t kLeastColumn = 6;

}  // namespace sluice::cli
