#include "controlplane/provider/source.h"

#include <algorithm>
#include <string_view>

#include "controlplane/provider/url.h"

namespace sluice::provider {
namespace {

/// User names of SOCKS5 are that long at most, RFC 1929.
constexpr std::size_t kMaxProxyName = 255;

/// RFC 9110 section 5.6.2.
bool is_token(std::string_view text) noexcept {
  constexpr std::string_view kMarks = "!#$%&'*+-.^_`|~";
  return !text.empty() && std::ranges::all_of(text, [&](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           kMarks.find(c) != std::string_view::npos;
  });
}

/// RFC 9110 section 5.5: no control characters but the tab, so that no value ends its line.
bool is_field_value(std::string_view text) noexcept {
  return std::ranges::none_of(text, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte < 0x20 && c != '\t') || byte == 0x7f;
  });
}

std::optional<std::string> fault_of_headers(const Source& source) {
  for (const auto& [name, values] : source.headers) {
    if (!is_token(name)) return "header name \"" + name + "\" holds a character that none may";
    if (!std::ranges::all_of(values, is_field_value))
      return "a value of header \"" + name + "\" holds a control character";
  }
  if (!is_field_value(source.user_agent)) return "the user agent holds a control character";
  return std::nullopt;
}

std::optional<std::string> fault_of_http(const Source& source) {
  if (source.urls.empty()) return "needs a url";
  for (const std::string& url : source.urls)
    if (!parse_url(url)) return "url \"" + shown(url) + "\" is no http or https address";
  if (source.interval < Millis{0}) return "the interval is negative";
  if (source.proxy.size() > kMaxProxyName) return "the proxy's name is longer than 255 bytes";
  return fault_of_headers(source);
}

}  // namespace

std::optional<std::string> fault_of(const Source& source) {
  if (source.most == 0 || source.most > kMaxContent) return "the size limit must be 1 B to 64 MiB";
  if (source.kind == Kind::inline_) {
    if (source.content.size() > source.most) return "the payload is larger than the size limit";
    return std::nullopt;
  }
  if (source.path.empty() || source.path.front() != '/') return "needs an absolute path";
  return source.kind == Kind::http ? fault_of_http(source) : std::nullopt;
}

}  // namespace sluice::provider
