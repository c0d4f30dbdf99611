#include "dataplane/protocol/http/basic_auth.h"

#include <cstdint>

#include "proto/common/text.h"

namespace sluice::http {
namespace {

constexpr std::string_view kScheme = "Basic";
constexpr std::string_view kDigits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Padding may be missing, as some clients leave it out. Errors: malformed.
Result<std::string> decode_base64(std::string_view text) {
  std::size_t padding = 0;
  while (!text.empty() && text.back() == '=' && padding < 2) {
    text.remove_suffix(1);
    ++padding;
  }
  std::string out;
  out.reserve(text.size() * 3 / 4);
  std::uint32_t bits = 0;
  unsigned count = 0;
  for (const char c : text) {
    const std::size_t digit = kDigits.find(c);
    if (digit == std::string_view::npos) return fail(Errc::malformed);
    bits = (bits << 6) | static_cast<std::uint32_t>(digit);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    out.push_back(static_cast<char>(bits >> count & 0xff));
  }
  if (count == 6) return fail(Errc::malformed);
  return out;
}

std::string encode_base64(std::string_view bytes) {
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::string_view group = bytes.substr(i, 3);
    std::uint32_t bits = 0;
    for (std::size_t k = 0; k < 3; ++k)
      bits = (bits << 8) | (k < group.size() ? static_cast<unsigned char>(group[k]) : 0U);
    for (std::size_t k = 0; k < 4; ++k)
      out.push_back(k <= group.size() ? kDigits[bits >> (18 - 6 * k) & 0x3f] : '=');
  }
  return out;
}

}  // namespace

Result<BasicCredentials> parse_basic(std::string_view field_value) {
  const std::size_t space = field_value.find(' ');
  if (!iequals(field_value.substr(0, space), kScheme)) return fail(Errc::unsupported);
  if (space == std::string_view::npos) return fail(Errc::malformed);
  auto text = decode_base64(trim(field_value.substr(space)));
  if (!text) return fail(text.error());
  const std::size_t colon = text->find(':');
  if (colon == std::string::npos) return fail(Errc::malformed);
  return BasicCredentials{text->substr(0, colon), text->substr(colon + 1)};
}

std::string format_basic(std::string_view user, std::string_view password) {
  std::string pair(user);
  pair += ':';
  pair += password;
  return std::string(kScheme) + ' ' + encode_base64(pair);
}

}  // namespace sluice::http
