#include "controlplane/provider/origin.h"

#include <algorithm>

#include "controlplane/provider/places.h"
#include "proto/common/text.h"

namespace sluice::provider {
namespace {

constexpr std::string_view kFirstLine = "sluice-origin 1";
/// Last: a text without it was cut.
constexpr std::string_view kLastLine = "end";

/// Non-negative, as every number here.
bool read_number(std::string_view text, std::int64_t& out) {
  const auto number = parse_number(text, INT64_MAX);
  if (number) out = static_cast<std::int64_t>(*number);
  return number.has_value();
}

/// False: the line's value makes no sense.
bool read_line(std::string_view key, std::string_view value, Origin& out) {
  if (key == "url") out.url_digest = value;
  if (key == "etag") out.validators.etag = value;
  if (key == "last-modified") out.validators.last_modified = value;
  if (key == "checked") return read_number(value, out.checked_ms);
  if (key == "changed") return read_number(value, out.changed_ms);
  if (key == "modified-ns") return read_number(value, out.copy.modified_ns);
  std::int64_t size = 0;
  if (key == "size" && !read_number(value, size)) return false;
  if (key == "size") out.copy.size = static_cast<std::uint64_t>(size);
  return value.size() <= kMaxValidator;
}

void add(std::string& text, std::string_view key, std::string_view value) {
  if (!value.empty()) text.append(key).append(" ").append(value).append("\n");
}

}  // namespace

std::string url_digest(std::string_view url) {
  return default_path("", url).substr(1);
}

std::string to_text(const Origin& origin) {
  std::string out(kFirstLine);
  out += '\n';
  add(out, "url", origin.url_digest);
  add(out, "checked", std::to_string(std::max<std::int64_t>(origin.checked_ms, 0)));
  add(out, "changed", std::to_string(std::max<std::int64_t>(origin.changed_ms, 0)));
  add(out, "size", std::to_string(origin.copy.size));
  add(out, "modified-ns", std::to_string(std::max<std::int64_t>(origin.copy.modified_ns, 0)));
  add(out, "etag", origin.validators.etag);
  add(out, "last-modified", origin.validators.last_modified);
  return out.append(kLastLine).append("\n");
}

std::optional<Origin> parse_origin(std::string_view text) {
  Origin out;
  bool first = true;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) return std::nullopt;
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end + 1);
    if (first && line != kFirstLine) return std::nullopt;
    if (line == kLastLine) return out;
    const std::size_t blank = line.find(' ');
    if (!first && blank != std::string_view::npos &&
        !read_line(line.substr(0, blank), line.substr(blank + 1), out))
      return std::nullopt;
    first = false;
  }
  return std::nullopt;
}

}  // namespace sluice::provider
