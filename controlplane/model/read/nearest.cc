#include "controlplane/model/read/nearest.h"

#include <algorithm>
#include <array>

#include "proto/common/text.h"

namespace sluice::model {
namespace {

// Longer words are not compared: keys and types are short, and a hostile file may hold long ones.
constexpr std::size_t kLongest = 63;

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b, std::size_t bound) {
  const std::size_t gap = a.size() > b.size() ? a.size() - b.size() : b.size() - a.size();
  if (gap > bound || a.size() > kLongest || b.size() > kLongest) return bound + 1;

  // Three rows of the table: the one being filled and the two above it.
  std::array<std::array<std::size_t, kLongest + 1>, 3> rows{};
  for (std::size_t j = 0; j <= b.size(); ++j) rows[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    auto& row = rows[i % 3];
    const auto& above = rows[(i + 2) % 3];
    const auto& above2 = rows[(i + 1) % 3];
    row[0] = i;
    std::size_t least = row[0];
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = to_lower(a[i - 1]) == to_lower(b[j - 1]);
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (same ? 0 : 1)});
      const bool swapped = i > 1 && j > 1 && to_lower(a[i - 1]) == to_lower(b[j - 2]) &&
                           to_lower(a[i - 2]) == to_lower(b[j - 1]);
      if (swapped) row[j] = std::min(row[j], above2[j - 2] + 1);
      least = std::min(least, row[j]);
    }
    if (least > bound) return bound + 1;
  }
  return std::min(rows[a.size() % 3][b.size()], bound + 1);
}

Nearest::Nearest(std::string_view word) noexcept
    : word_(word), bound_(std::clamp<std::size_t>(word.size() / 3, 1, 3)) {}

void Nearest::offer(std::string_view candidate) {
  const std::size_t distance = edit_distance(word_, candidate, bound_);
  if (distance > bound_ || distance >= candidate.size()) return;
  if (!best_.empty() && distance == bound_) return;  // the first of equals stays
  best_ = candidate;
  bound_ = distance;
}

std::string Nearest::remedy(std::string_view otherwise) const {
  return best_.empty() ? std::string(otherwise) : "did you mean `" + best_ + "`?";
}

}  // namespace sluice::model
