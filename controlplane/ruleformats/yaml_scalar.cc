#include "controlplane/ruleformats/yaml_scalar.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>

#include "controlplane/ruleformats/utf8_append.h"
#include "proto/common/text.h"

namespace sluice::ruleformats {
namespace {

constexpr std::string_view kUnended = "has no closing quote on its line";
constexpr std::string_view kBadEscape = "has an escape that YAML does not know";

std::optional<std::uint32_t> hex_code(std::string_view digits) {
  std::uint32_t code = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), code, 16);
  const bool surrogate = code >= 0xd800 && code <= 0xdfff;
  if (error != std::errc{} || end != digits.data() + digits.size() || surrogate || code > 0x10ffff)
    return std::nullopt;
  return code;
}

/// Resolves the escape after the backslash. Bytes of `text` it took; 0 when it is none.
std::size_t unescape(std::string_view text, std::string& out) {
  static constexpr std::string_view kNames = "0abtnvfre\"/\\ ";
  static constexpr std::string_view kBytes{"\0\a\b\t\n\v\f\r\x1b\"/\\ ", 13};
  if (text.empty()) return 0;
  if (const std::size_t at = kNames.find(text[0]); at != std::string_view::npos) {
    out.push_back(kBytes[at]);
    return 1;
  }
  const std::size_t digits = text[0] == 'x' ? 2 : text[0] == 'u' ? 4 : text[0] == 'U' ? 8 : 0;
  if (digits == 0 || text.size() <= digits) return 0;
  const auto code = hex_code(text.substr(1, digits));
  if (!code) return 0;
  append_utf8(*code, out);
  return digits + 1;
}

YamlScalar read_double(std::string_view line, std::string& scratch) {
  scratch.clear();
  for (std::size_t i = 1; i < line.size(); ++i) {
    if (line[i] == '"') return {scratch, i + 1, {}};
    if (line[i] != '\\') {
      scratch.push_back(line[i]);
      continue;
    }
    const std::size_t taken = unescape(line.substr(i + 1), scratch);
    if (taken == 0) return {line, line.size(), kBadEscape};
    i += taken;
  }
  return {line, line.size(), kUnended};
}

YamlScalar read_single(std::string_view line, std::string& scratch) {
  const std::size_t end = line.find('\'', 1);
  if (end == std::string_view::npos) return {line, line.size(), kUnended};
  if (!line.substr(end).starts_with("''")) return {line.substr(1, end - 1), end + 1, {}};
  scratch.clear();
  for (std::size_t i = 1; i < line.size(); ++i) {
    if (line[i] == '\'') {
      if (!line.substr(i).starts_with("''")) return {scratch, i + 1, {}};
      ++i;
    }
    scratch.push_back(line[i]);
  }
  return {line, line.size(), kUnended};
}

bool blank(char c) noexcept {
  return c == ' ' || c == '\t';
}

YamlScalar read_plain(std::string_view line, YamlContext context) {
  std::size_t end = line.size();
  for (std::size_t i = 0; i < line.size(); ++i) {
    const bool comment = line[i] == '#' && i > 0 && blank(line[i - 1]);
    const bool flow_end = context == YamlContext::flow &&
                          std::string_view(",]").find(line[i]) != std::string_view::npos;
    if (comment || flow_end) {
      end = i;
      break;
    }
    if (line[i] == ':' && (i + 1 == line.size() || blank(line[i + 1])))
      return {line, line.size(), "is a map; write one text"};
  }
  return {trim(line.substr(0, end)), end, {}};
}

}  // namespace

YamlScalar read_yaml_scalar(std::string_view line, YamlContext context, std::string& scratch) {
  if (line.empty()) return {};
  switch (line[0]) {
    case '"':
      return read_double(line, scratch);
    case '\'':
      return read_single(line, scratch);
    case '*':
    case '&':
    case '!':
    case '|':
    case '>':
    case '%':
    case '@':
    case '`':
      return {line, line.size(), "starts with a sign of YAML's own; put it in quotes"};
    case '[':
    case '{':
      return {line, line.size(), "is a list or a map; write one text"};
    case '-':
    case '?':
      if (line.size() == 1 || blank(line[1]))
        return {line, line.size(), "is a list or a map; write one text"};
      break;
    default:
      break;
  }
  return read_plain(line, context);
}

}  // namespace sluice::ruleformats
