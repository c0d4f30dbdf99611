#include "proto/common/text.h"

#include <algorithm>
#include <charconv>

#include "proto/common/utf8.h"

namespace sluice {

bool is_utf8(std::string_view text) noexcept {
  while (!text.empty()) {
    const auto next = first_code_point(text);
    if (!next) return false;
    text.remove_prefix(next->size);
  }
  return true;
}

std::string_view trim(std::string_view text) noexcept {
  constexpr std::string_view kBlank = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

bool iequals(std::string_view a, std::string_view b) noexcept {
  return std::ranges::equal(a, b, [](char x, char y) { return to_lower(x) == to_lower(y); });
}

Result<std::uint64_t> parse_number(std::string_view text, std::uint64_t max) noexcept {
  std::uint64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, ec] = std::from_chars(text.data(), end, value);
  if (text.empty() || ec != std::errc{} || stop != end || value > max) return fail(Errc::malformed);
  return value;
}

Result<HostPort> split_host_port(std::string_view text) noexcept {
  HostPort out;
  std::string_view port;
  if (text.starts_with('[')) {
    const std::size_t close = text.find(']');
    if (close == std::string_view::npos || close + 1 >= text.size() || text[close + 1] != ':')
      return fail(Errc::malformed);
    out.host = text.substr(1, close - 1);
    port = text.substr(close + 2);
  } else {
    const std::size_t colon = text.rfind(':');
    if (colon == std::string_view::npos) return fail(Errc::malformed);
    out.host = text.substr(0, colon);
    if (out.host.find(':') != std::string_view::npos) return fail(Errc::malformed);
    port = text.substr(colon + 1);
  }
  if (out.host.empty()) return fail(Errc::malformed);
  const auto number = parse_number(port, 65535);
  if (!number) return fail(number.error());
  out.port = static_cast<std::uint16_t>(*number);
  return out;
}

std::string join_host_port(std::string_view host, std::uint16_t port) {
  std::string out;
  const bool brackets = host.find(':') != std::string_view::npos;
  if (brackets) out += '[';
  out += host;
  if (brackets) out += ']';
  out += ':';
  out += std::to_string(port);
  return out;
}

}  // namespace sluice
