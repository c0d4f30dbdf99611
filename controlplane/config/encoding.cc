#include "controlplane/config/encoding.h"

#include <cstddef>

#include "proto/common/utf8.h"

namespace sluice::config {
namespace {

bool looks_like_utf16(std::string_view text) noexcept {
  if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff")) return true;
  // Without a mark: the first characters of a configuration are ASCII, so one byte of two is NUL.
  return text.size() >= 2 && (text[0] == '\0') != (text[1] == '\0');
}

}  // namespace

std::optional<EncodingFault> check_encoding(std::string_view& text) {
  if (looks_like_utf16(text))
    return EncodingFault{{1, 1}, "the file is UTF-16, not UTF-8", "save it as UTF-8"};
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);

  model::Position at{1, 1};
  for (std::size_t i = 0; i < text.size();) {
    const auto next = first_code_point(text.substr(i));
    if (!next) return EncodingFault{at, "this byte is not UTF-8", "save the file as UTF-8"};
    if (text[i] == '\0')
      return EncodingFault{at, "a NUL byte stands here", "remove it; the file may be damaged"};
    if (text[i] == '\n') {
      at = {at.line + 1, 1};
    } else {
      ++at.column;
    }
    i += next->size;
  }
  return std::nullopt;
}

}  // namespace sluice::config
