// ruleformats/name_text.h - one name of a rule file, checked and in lower case, without allocating.
//
// Normal form as in common/name.h, with two differences: a label may be `*` where the format has
// wildcards, and labels may be UTF-8, which the compiler turns into A-labels.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "proto/common/name.h"

namespace sluice::ruleformats {

/// A checked name in lower case.
class NameText {
 public:
  enum class Wildcards : std::uint8_t { refused, labels };

  /// Takes `text` over. The answer is empty, or the reason why it is no name; one trailing dot is
  /// dropped. With Wildcards::labels a label may be `*`.
  [[nodiscard]] std::string_view assign(std::string_view text, Wildcards wildcards) noexcept;
  [[nodiscard]] std::string_view view() const noexcept { return {bytes_.data(), size_}; }
  [[nodiscard]] bool wild() const noexcept { return wild_; }

 private:
  std::array<char, kMaxName> bytes_;
  std::size_t size_ = 0;
  bool wild_ = false;
};

}  // namespace sluice::ruleformats
