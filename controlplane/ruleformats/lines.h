// ruleformats/lines.h - a text file as numbered lines.
#pragma once

#include <cstdint>
#include <string_view>

#include "controlplane/ruleformats/bounds.h"
#include "controlplane/ruleformats/refusal.h"
#include "proto/common/cursor.h"

namespace sluice::ruleformats {

/// The text of a file without its byte order mark. Errors: too_large, unsupported (UTF-16),
/// malformed (a NUL byte: not a text file).
[[nodiscard]] Outcome<std::string_view> open_text(ByteView file, const Bounds& bounds);

/// Ends with \n or the file; a \r before the \n belongs to the end.
class Lines {
 public:
  explicit Lines(std::string_view text) noexcept : rest_(text) {}

  /// False at the end of the file.
  bool next() noexcept;
  [[nodiscard]] std::string_view text() const noexcept { return line_; }
  [[nodiscard]] std::uint32_t number() const noexcept { return number_; }

 private:
  std::string_view rest_;
  std::string_view line_;
  std::uint32_t number_ = 0;
};

}  // namespace sluice::ruleformats
