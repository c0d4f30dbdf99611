#include "ui/cli/table.h"

#include <algorithm>
#include <optional>

#include "ui/cli/text_width.h"

namespace sluice::cli {
namespace {

constexpr std::size_t kGap = 2;

using Rows = std::vector<std::vector<std::string>>;

std::vector<std::size_t> natural_widths(const std::vector<Column>& columns, const Rows& rows) {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    std::size_t widest = text_width(columns[i].title);
    for (const auto& row : rows) widest = std::max(widest, text_width(row[i]));
    out.push_back(widest);
  }
  return out;
}

std::optional<std::size_t> widest_shrinking(const std::vector<Column>& columns,
                                            const std::vector<std::size_t>& widths) {
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < columns.size(); ++i)
    if (columns[i].shrinks && widths[i] > kLeastColumn && (!best || widths[i] > widths[*best]))
      best = i;
  return best;
}

void fit(const std::vector<Column>& columns, std::vector<std::size_t>& widths, std::size_t width) {
  std::size_t total = kGap * (columns.size() - 1);
  for (const std::size_t w : widths) total += w;
  for (; total > width; --total) {
    const std::optional<std::size_t> victim = widest_shrinking(columns, widths);
    if (!victim) return;
    --widths[*victim];
  }
}

std::string line(const std::vector<Column>& columns, const std::vector<std::size_t>& widths,
                 const std::vector<std::string>& cells, std::size_t width) {
  std::string out;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const std::string text = truncate(cells[i], widths[i]);
    const std::string pad(widths[i] - text_width(text), ' ');
    if (i > 0) out.append(kGap, ' ');
    out += columns[i].align == Align::right ? pad + text : text + pad;
  }
  while (out.ends_with(' ')) out.pop_back();
  return (width == 0 ? out : truncate(out, width)) + "\n";
}

}  // namespace

std::string layout(const std::vector<Column>& columns, const Rows& rows, std::size_t width) {
  Rows safe = rows;
  for (auto& row : safe) {
    row.resize(columns.size());
    for (std::string& cell : row) cell = printable(cell);
  }
  std::vector<std::size_t> widths = natural_widths(columns, safe);
  if (width != 0) fit(columns, widths, width);
  std::vector<std::string> titles;
  for (const Column& column : columns) titles.push_back(column.title);
  std::string out = line(columns, widths, titles, width);
  for (const auto& row : safe) out += line(columns, widths, row, width);
  return out;
}

}  // namespace sluice::cli
