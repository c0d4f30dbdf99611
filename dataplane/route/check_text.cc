#include <algorithm>

#include "dataplane/route/check.h"
#include "proto/common/text.h"

namespace sluice::route {

std::string place(std::string_view list, std::size_t index) {
  return std::string(list) + '[' + std::to_string(index) + ']';
}

bool is_shown_text(std::string_view text, std::size_t max) noexcept {
  return text.size() <= max && text.find('\0') == std::string_view::npos && is_utf8(text);
}

bool is_device_name(std::string_view text) noexcept {
  return !text.empty() && text.size() <= kMaxDeviceName_bytes && text != "." && text != ".." &&
         std::ranges::all_of(
             text, [](char c) { return c > ' ' && c < 0x7f && c != '/' && c != ':' && c != '"'; });
}

bool is_prefix(const Prefix& prefix) noexcept {
  if (!prefix.base.valid()) return false;
  return prefix.length <= (prefix.base.is_v4() ? 32 : 128) &&
         Prefix::of(prefix.base, prefix.length) == prefix;
}

}  // namespace sluice::route
