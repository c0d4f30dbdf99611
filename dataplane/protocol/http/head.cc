#include "dataplane/protocol/http/head.h"

#include <algorithm>

#include "proto/common/text.h"

namespace sluice::http {
namespace {

bool is_token_char(char c) noexcept {
  const auto u = static_cast<unsigned char>(c);
  return u > 0x20 && u < 0x7f &&
         std::string_view("\"(),/:;<=>?@[\\]{}").find(c) == std::string_view::npos;
}
bool is_token(std::string_view text) noexcept {
  return !text.empty() && std::ranges::all_of(text, is_token_char);
}
bool has_control(std::string_view text) noexcept {
  return std::ranges::any_of(text, [](char c) {
    const auto u = static_cast<unsigned char>(c);
    return (u < 0x20 && c != '\t') || u == 0x7f;
  });
}

std::string_view trim_blanks(std::string_view text) noexcept {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

/// The next line without its end; `rest` moves behind it.
std::string_view take_line(std::string_view& rest) noexcept {
  const std::size_t end = rest.find('\n');
  std::string_view line = rest.substr(0, end);
  rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

void skip_empty_lines(std::string_view& rest) noexcept {
  while (rest.starts_with("\r\n") || rest.starts_with('\n'))
    rest.remove_prefix(rest.front() == '\n' ? 1 : 2);
}

std::optional<Field> split_field(std::string_view line) noexcept {
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  return Field{line.substr(0, colon), trim_blanks(line.substr(colon + 1))};
}

/// "HTTP/1.x"; the minor version that we speak with it.
Result<std::uint8_t> parse_version(std::string_view text) noexcept {
  if (text.size() != 8 || !text.starts_with("HTTP/")) return fail(Errc::malformed);
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  if (!digit(text[5]) || text[6] != '.' || !digit(text[7])) return fail(Errc::malformed);
  if (text[5] != '1') return fail(Errc::unsupported);
  return static_cast<std::uint8_t>(text[7] == '0' ? 0 : 1);
}

/// Checks every field line up to the blank one.
Result<Fields> check_fields(std::string_view lines) noexcept {
  std::string_view rest = lines;
  std::size_t connection = 0;
  for (std::size_t count = 0;; ++count) {
    if (rest.empty()) return fail(Errc::malformed);
    const std::string_view before = rest;
    const std::string_view line = take_line(rest);
    if (line.empty()) {
      if (!rest.empty()) return fail(Errc::malformed);
      return Fields(lines.substr(0, lines.size() - before.size()));
    }
    if (count == kMaxFields) return fail(Errc::too_large);
    const auto field = split_field(line);
    if (!field || !is_token(field->name) || has_control(line)) return fail(Errc::malformed);
    if (iequals(field->name, "Connection")) connection += line.size();
    if (connection > kMaxConnection) return fail(Errc::too_large);
  }
}

}  // namespace

std::optional<Field> Fields::next() noexcept {
  if (rest_.empty()) return std::nullopt;
  return split_field(take_line(rest_));
}

std::optional<std::string_view> Fields::find(std::string_view name) const noexcept {
  Fields copy = *this;
  while (const auto field = copy.next())
    if (iequals(field->name, name)) return field->value;
  return std::nullopt;
}

bool Fields::has_token(std::string_view name, std::string_view token) const noexcept {
  Fields copy = *this;
  while (const auto field = copy.next()) {
    if (!iequals(field->name, name)) continue;
    List list(field->value);
    while (const auto part = list.next())
      if (iequals(*part, token)) return true;
  }
  return false;
}

std::optional<std::string_view> List::next() noexcept {
  while (!rest_.empty()) {
    const std::size_t comma = rest_.find(',');
    const std::string_view part = trim_blanks(rest_.substr(0, comma));
    rest_.remove_prefix(comma == std::string_view::npos ? rest_.size() : comma + 1);
    if (!part.empty()) return part;
  }
  return std::nullopt;
}

Result<std::size_t> HeadScanner::take(std::string_view more) noexcept {
  std::size_t used = 0;
  while (!done_ && used < more.size()) {
    const std::string_view rest = more.substr(used);
    const std::size_t end = rest.find('\n');
    const bool whole = end != std::string_view::npos;
    const std::size_t piece = whole ? end : rest.size();
    if (line_ == 0) starts_with_cr_ = rest.front() == '\r';
    line_ += piece;
    used += whole ? piece + 1 : piece;
    if (line_ > kMaxLine || size_ + used > kMaxHead) return fail(Errc::too_large);
    if (!whole) break;
    const bool blank = line_ == 0 || (line_ == 1 && starts_with_cr_);
    done_ = blank && started_;
    started_ = started_ || !blank;
    line_ = 0;
  }
  size_ += used;
  return used;
}

Result<RequestHead> parse_request_head(std::string_view text) noexcept {
  skip_empty_lines(text);
  const std::string_view line = take_line(text);
  const std::size_t first = line.find(' ');
  const std::size_t last = line.rfind(' ');
  if (first == std::string_view::npos || first == last) return fail(Errc::malformed);
  RequestHead head;
  head.method = line.substr(0, first);
  head.target = line.substr(first + 1, last - first - 1);
  const bool spaced = head.target.find_first_of(" \t") != std::string_view::npos;
  if (!is_token(head.method) || head.target.empty() || spaced || has_control(line))
    return fail(Errc::malformed);
  const auto minor = parse_version(line.substr(last + 1));
  if (!minor) return fail(minor.error());
  head.minor = *minor;
  const auto fields = check_fields(text);
  if (!fields) return fail(fields.error());
  head.fields = *fields;
  return head;
}

Result<ResponseHead> parse_response_head(std::string_view text) noexcept {
  skip_empty_lines(text);
  const std::string_view line = take_line(text);
  const auto minor = parse_version(line.substr(0, 8));
  if (!minor) return fail(minor.error());
  if (line.size() < 12 || line[8] != ' ' || has_control(line)) return fail(Errc::malformed);
  const auto status = parse_number(line.substr(9, 3), 999);
  if (!status || *status < 100) return fail(Errc::malformed);
  if (line.size() > 12 && line[12] != ' ') return fail(Errc::malformed);
  ResponseHead head;
  head.status = static_cast<std::uint16_t>(*status);
  head.reason = line.size() > 13 ? line.substr(13) : std::string_view();
  head.minor = *minor;
  const auto fields = check_fields(text);
  if (!fields) return fail(fields.error());
  head.fields = *fields;
  return head;
}

}  // namespace sluice::http
