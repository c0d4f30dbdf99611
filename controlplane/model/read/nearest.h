// read/nearest.h - the known word that a mistyped one most likely means.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace sluice::model {

/// Edits that turn `a` into `b`: insert, delete, replace, swap of neighbours (optimal string
/// alignment), capitals ignored. Stops early and returns `bound` + 1 when it is farther than that.
[[nodiscard]] std::size_t edit_distance(std::string_view a, std::string_view b, std::size_t bound);

/// Collects candidates and keeps the closest one that is near enough: at most one edit for every
/// three bytes of the mistyped word, at least one, at most three.
class Nearest {
 public:
  explicit Nearest(std::string_view word) noexcept;
  void offer(std::string_view candidate);
  /// "did you mean `x`?", or `otherwise` when none is near.
  [[nodiscard]] std::string remedy(std::string_view otherwise) const;

 private:
  std::string_view word_;
  std::size_t bound_;  // distance that still counts
  std::string best_;
};

}  // namespace sluice::model
