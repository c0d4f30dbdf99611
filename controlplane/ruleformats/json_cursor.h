// ruleformats/json_cursor.h - JSON (RFC 8259) read value by value in one pass, nothing kept.
//
//   JsonCursor in(text);
//   for (bool more = in.open('{'); more; more = in.more('}')) { key = in.key(scratch); in.skip(); }
//
// Sticky: after the first fault every read gives nothing, and failed() says where it was.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "controlplane/ruleformats/bounds.h"

namespace sluice::ruleformats {

/// Objects and lists within each other: rules within rules take two each.
inline constexpr unsigned kMaxJsonDepth = 2 * kMaxDepth + 4;

class JsonCursor {
 public:
  explicit JsonCursor(std::string_view text) noexcept : text_(text) {}

  /// First byte of the next value: `{ [ " t f n` or one of a number; 0 at the end.
  [[nodiscard]] char peek() noexcept;
  /// Enters an object or a list. True when it holds something.
  bool open(char bracket) noexcept;
  /// After a value: true when another follows, false when the object or list is over.
  bool more(char closing) noexcept;
  /// A key and its colon. A view into the text or `scratch`.
  std::string_view key(std::string& scratch);
  /// A view into the text, or into `scratch` when it holds escapes.
  std::string_view string(std::string& scratch);
  /// true or false.
  bool boolean() noexcept;
  /// Steps over one value and gives its text.
  std::string_view skip() noexcept;

  [[nodiscard]] bool failed() const noexcept { return failed_; }
  [[nodiscard]] bool at_end() noexcept;
  /// Bytes read, up to the fault if there is one.
  [[nodiscard]] std::size_t position() const noexcept { return at_; }

 private:
  bool fail() noexcept;
  void skip_blanks() noexcept;
  bool take(char c) noexcept;
  bool unescape(std::string& scratch);
  std::string_view string_with_escapes(std::size_t start, std::string& scratch);
  void skip_string() noexcept;
  void skip_word() noexcept;

  std::string_view text_;
  std::size_t at_ = 0;
  bool failed_ = false;
};

}  // namespace sluice::ruleformats
