#include "controlplane/model/rule_text/cut.h"

#include "controlplane/model/rule_text/payload.h"
#include "proto/common/text.h"

namespace sluice::model::rule_text {
namespace {

bool is_option(std::string_view part) noexcept {
  return iequals(part, "no-resolve") || iequals(part, "src");
}

/// As trim(), but a blank part stays where it was in the text.
std::string_view trim_in_place(std::string_view part) noexcept {
  const std::string_view inner = trim(part);
  return inner.empty() ? part.substr(0, 0) : inner;
}

/// Both are parts of one text, in this order.
std::string_view from_to(std::string_view first, std::string_view last) noexcept {
  return {first.data(), static_cast<std::size_t>(last.data() + last.size() - first.data())};
}

/// Behind a class of a regex that opens at `at`: a `]` that comes first is one of its characters.
std::size_t skip_class(std::string_view text, std::size_t at) noexcept {
  std::size_t i = at + 1;
  if (i < text.size() && text[i] == '^') ++i;
  if (i < text.size() && text[i] == ']') ++i;
  for (; i < text.size() && text[i] != ']'; ++i)
    if (text[i] == '\\') ++i;
  return i;
}

}  // namespace

std::vector<std::string_view> split_at_commas(std::string_view text) {
  std::vector<std::string_view> out;
  while (true) {
    const std::size_t comma = text.find(',');
    out.push_back(trim_in_place(text.substr(0, comma)));
    if (comma == std::string_view::npos) return out;
    text.remove_prefix(comma + 1);
  }
}

std::optional<Fields> cut(AtomKind kind, std::string_view rest, bool with_target) {
  Fields out;
  if (is_regex(kind) && !with_target) {
    out.payload = trim(rest);
    return out.payload.empty() ? std::nullopt : std::optional(out);
  }
  const auto parts = split_at_commas(rest);
  std::size_t payload_parts = 1;
  if (is_regex(kind) || is_number_list(kind)) {
    std::size_t end = parts.size();
    while (end > 0 && is_option(parts[end - 1])) --end;
    payload_parts = with_target && end > 0 ? end - 1 : end;
  }
  const std::size_t fields = payload_parts + (with_target ? 1 : 0);
  if (payload_parts == 0 || parts.size() < fields) return std::nullopt;
  out.payload = trim(from_to(parts[0], parts[payload_parts - 1]));
  if (with_target) out.target = parts[payload_parts];
  out.options.assign(parts.begin() + static_cast<std::ptrdiff_t>(fields), parts.end());
  if (out.payload.empty() || (with_target && out.target.empty())) return std::nullopt;
  return out;
}

std::size_t find_closing(std::string_view text, std::size_t from, bool regex) noexcept {
  std::size_t open = 0;
  for (std::size_t i = from; i < text.size(); ++i) {
    const char c = text[i];
    if (regex && c == '\\') {
      ++i;
    } else if (regex && c == '[') {
      i = skip_class(text, i);
    } else if (c == '(') {
      ++open;
    } else if (c == ')' && open-- == 0) {
      return i;
    }
  }
  return std::string_view::npos;
}

}  // namespace sluice::model::rule_text
