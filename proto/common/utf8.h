// common/utf8.h - the one walk through UTF-8, RFC 3629 section 4: no surrogates, no overlong forms,
// nothing past U+10FFFF.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace sluice {

struct CodePoint {
  char32_t value = 0;
  std::size_t size = 0;  ///< bytes of its sequence, 1..4
};

/// What `text` begins with; nothing when it is empty or its first byte begins no well-formed
/// sequence.
[[nodiscard]] std::optional<CodePoint> first_code_point(std::string_view text) noexcept;

inline constexpr char32_t kReplacement = 0xfffd;
inline constexpr std::string_view kReplacementText = "\xef\xbf\xbd";

/// `text` with U+FFFD for every byte that belongs to no well-formed sequence.
[[nodiscard]] std::string valid_utf8(std::string_view text);

}  // namespace sluice
