#include "dataplane/sniff/http1.h"

#include <algorithm>
#include <array>
#include <optional>

#include "dataplane/sniff/limits.h"
#include "proto/common/text.h"

namespace sluice::sniff {
namespace {

/// So much of an unfinished line is judged at each look: method, and enough to tell binary bytes.
constexpr std::size_t kMaxJudged = 64;

/// RFC 9110 section 5.6.2, by byte.
constexpr std::array<bool, 256> kTokenChars = [] {
  std::array<bool, 256> out{};
  for (unsigned c = '0'; c <= '9'; ++c) out[c] = true;
  for (unsigned c = 'A'; c <= 'Z'; ++c) out[c] = out[c + 'a' - 'A'] = true;
  for (const char c : std::string_view("!#$%&'*+-.^_`|~"))
    out[static_cast<unsigned char>(c)] = true;
  return out;
}();

bool token_char(char c) noexcept {
  return kTokenChars[static_cast<unsigned char>(c)];
}

bool is_token(std::string_view text) noexcept {
  return !text.empty() && std::ranges::all_of(text, token_char);
}

bool is_control(char c) noexcept {
  const auto u = static_cast<unsigned char>(c);
  return u < 0x20 || u == 0x7f;
}

/// The next line without its end, taken off `text`; nothing while its end has not come.
std::optional<std::string_view> next_line(std::string_view& text) noexcept {
  const std::size_t end = text.find('\n');
  if (end == std::string_view::npos) return std::nullopt;
  std::string_view line = text.substr(0, end);
  text.remove_prefix(end + 1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

/// Takes off the empty lines in front of a request, which servers ignore (RFC 9112 section 2.2),
/// and the half of one that has come.
void skip_empty_lines(std::string_view& text) noexcept {
  for (std::size_t count = 0; count < kMaxEmptyLines; ++count) {
    if (text.starts_with("\r\n"))
      text.remove_prefix(2);
    else if (text.starts_with('\n') || text == "\r")
      text.remove_prefix(1);
  }
}

/// A line, or the part of it that has come, may be a request line.
bool may_become_request(std::string_view part) noexcept {
  if (part.size() > 1 && part.ends_with('\r')) part.remove_suffix(1);
  const std::string_view method = part.substr(0, part.find(' '));
  if (method.size() > kMaxMethod || !std::ranges::all_of(method, token_char)) return false;
  return !part.starts_with(' ') && std::ranges::none_of(part, is_control);
}

struct RequestLine {
  std::string_view method;
  std::string_view target;
};

std::optional<RequestLine> split_request_line(std::string_view line) noexcept {
  if (!may_become_request(line)) return std::nullopt;
  const std::size_t first = line.find(' ');
  const std::size_t last = line.rfind(' ');
  if (first == std::string_view::npos || first + 1 >= last) return std::nullopt;
  const RequestLine out{line.substr(0, first), line.substr(first + 1, last - first - 1)};
  const std::string_view version = line.substr(last + 1);
  if (out.target.find(' ') != std::string_view::npos || version.size() != 8 ||
      !version.starts_with("HTTP/1.") || version[7] < '0' || version[7] > '9')
    return std::nullopt;
  return out;
}

/// The authority of an absolute-form target, or nothing for the other forms.
std::optional<std::string_view> authority_of(std::string_view target) noexcept {
  const std::size_t scheme = target.find("://");
  if (scheme == std::string_view::npos || !is_token(target.substr(0, scheme))) return std::nullopt;
  target.remove_prefix(scheme + 3);
  return target.substr(0, target.find_first_of("/?#"));
}

/// The fields behind a request line. `ended`: no more bytes of them will be looked at.
Answer search_host(std::string_view fields, std::size_t size, bool ended) noexcept {
  Answer out = Answer::found(Protocol::http);
  for (std::size_t count = 0; count < kMaxFields; ++count) {
    const auto line = next_line(fields);
    if (!line && !ended) return Answer::more(Protocol::http, size + 1, kMaxHttp);
    if (!line || line->empty()) return out;
    if (line->front() == ' ' || line->front() == '\t') continue;  // folded, from old senders
    const std::size_t colon = line->substr(0, kMaxFieldName + 1).find(':');
    if (colon == std::string_view::npos || !is_token(line->substr(0, colon))) return {};
    if (!iequals(line->substr(0, colon), "host")) continue;
    out.host.assign_authority(trim(line->substr(colon + 1)));
    return out;
  }
  return out;
}

}  // namespace

Answer sniff_http1(ByteView stream) noexcept {
  const bool ended = stream.size() >= kMaxHttp;
  std::string_view text = as_text(stream.first(std::min(stream.size(), kMaxHttp)));
  const std::size_t size = text.size();
  skip_empty_lines(text);
  const auto line = next_line(text);
  if (!line) {
    if (ended || !may_become_request(text.substr(0, kMaxJudged))) return {};
    return Answer::more(Protocol::none, size + 1, kMaxHttp);
  }
  const auto request = split_request_line(*line);
  if (!request) return {};
  Answer out = Answer::found(Protocol::http);
  if (request->method == "CONNECT") return out;
  if (const auto authority = authority_of(request->target)) {
    out.host.assign_authority(*authority);
    return out;
  }
  return search_host(text, size, ended);
}

}  // namespace sluice::sniff
