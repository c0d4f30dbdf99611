#include "controlplane/config/encoding.h"

#include <cstddef>
#include <cstdint>

namespace sluice::config {
namespace {

bool looks_like_utf16(std::string_view text) noexcept {
  if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff")) return true;
  // Without a mark: the first characters of a configuration are ASCII, so one byte of two is NUL.
  return text.size() >= 2 && (text[0] == '\0') != (text[1] == '\0');
}

/// Length of the well-formed sequence at the start of `s`, 0 when there is none (RFC 3629).
std::size_t sequence_length(std::string_view s) noexcept {
  const auto at = [&](std::size_t i) {
    return i < s.size() ? static_cast<std::uint8_t>(s[i]) : std::uint8_t{0};
  };
  const auto tail = [&](std::size_t i) { return (at(i) & 0xc0) == 0x80; };
  const std::uint8_t lead = at(0);
  if (lead < 0x80) return 1;
  if (lead >= 0xc2 && lead <= 0xdf) return tail(1) ? 2 : 0;
  if (lead >= 0xe0 && lead <= 0xef) {
    if (lead == 0xe0 && at(1) < 0xa0) return 0;  // overlong
    if (lead == 0xed && at(1) > 0x9f) return 0;  // surrogates
    return tail(1) && tail(2) ? 3 : 0;
  }
  if (lead >= 0xf0 && lead <= 0xf4) {
    if (lead == 0xf0 && at(1) < 0x90) return 0;  // overlong
    if (lead == 0xf4 && at(1) > 0x8f) return 0;  // above U+10FFFF
    return tail(1) && tail(2) && tail(3) ? 4 : 0;
  }
  return 0;
}

}  // namespace

std::optional<EncodingFault> check_encoding(std::string_view& text) {
  if (looks_like_utf16(text))
    return EncodingFault{{1, 1}, "the file is UTF-16, not UTF-8", "save it as UTF-8"};
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);

  model::Position at{1, 1};
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = sequence_length(text.substr(i));
    if (length == 0) return EncodingFault{at, "this byte is not UTF-8", "save the file as UTF-8"};
    if (text[i] == '\0')
      return EncodingFault{at, "a NUL byte stands here", "remove it; the file may be damaged"};
    if (text[i] == '\n') {
      at = {at.line + 1, 1};
    } else {
      ++at.column;
    }
    i += length;
  }
  return std::nullopt;
}

}  // namespace sluice::config
