#include "proto/common/text.h"

#include <algorithm>
#include <charconv>

namespace sluice {
namespace {

/// Length of the sequence that `text` starts with; 0 when it is not well-formed.
std::size_t utf8_sequence(std::string_view text) noexcept {
  const auto byte = [text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t size = first < 0xc2   ? 0
                           : first < 0xe0 ? 2
                           : first < 0xf0 ? 3
                           : first < 0xf5 ? 4
                                          : 0;
  if (size == 0 || size > text.size()) return 0;
  // The second byte excludes overlong forms, surrogates and what lies past U+10FFFF.
  const unsigned char low = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
  const unsigned char high = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
  if (byte(1) < low || byte(1) > high) return 0;
  for (std::size_t i = 2; i < size; ++i)
    if ((byte(i) & 0xc0) != 0x80) return 0;
  return size;
}

}  // namespace

bool is_utf8(std::string_view text) noexcept {
  while (!text.empty()) {
    const std::size_t size = utf8_sequence(text);
    if (size == 0) return false;
    text.remove_prefix(size);
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
