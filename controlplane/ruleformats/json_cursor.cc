#include "controlplane/ruleformats/json_cursor.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "controlplane/ruleformats/utf8_append.h"

namespace sluice::ruleformats {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";
constexpr std::string_view kWordEnds = " \t\r\n,]}:[{\"";

std::optional<char32_t> hex4(std::string_view text) noexcept {
  std::uint32_t code = 0;
  if (text.size() < 4) return std::nullopt;
  const auto [end, error] = std::from_chars(text.data(), text.data() + 4, code, 16);
  if (error != std::errc{} || end != text.data() + 4) return std::nullopt;
  return code;
}

}  // namespace

bool JsonCursor::fail() noexcept {
  failed_ = true;
  return false;
}

void JsonCursor::skip_blanks() noexcept {
  at_ = std::min(text_.find_first_not_of(kBlanks, at_), text_.size());
}

char JsonCursor::peek() noexcept {
  skip_blanks();
  return failed_ || at_ == text_.size() ? '\0' : text_[at_];
}

bool JsonCursor::at_end() noexcept {
  return peek() == '\0' && at_ == text_.size();
}

bool JsonCursor::take(char c) noexcept {
  if (peek() != c) return fail();
  ++at_;
  return true;
}

bool JsonCursor::open(char bracket) noexcept {
  if (!take(bracket)) return false;
  const char closing = bracket == '{' ? '}' : ']';
  if (peek() != closing) return true;
  ++at_;
  return false;
}

bool JsonCursor::more(char closing) noexcept {
  if (peek() == ',') {
    ++at_;
    // A comma promises a value: `[1,]` is a fault there, not the end of a list.
    return peek() != closing || fail();
  }
  take(closing);
  return false;
}

std::string_view JsonCursor::key(std::string& scratch) {
  const std::string_view out = string(scratch);
  take(':');
  return failed_ ? std::string_view{} : out;
}

std::string_view JsonCursor::string(std::string& scratch) {
  if (!take('"')) return {};
  const std::size_t start = at_;
  for (; at_ < text_.size(); ++at_) {
    const char c = text_[at_];
    if (c == '"') return text_.substr(start, at_++ - start);
    if (c == '\\') return string_with_escapes(start, scratch);
    if (static_cast<unsigned char>(c) < 0x20) break;
  }
  fail();
  return {};
}

std::string_view JsonCursor::string_with_escapes(std::size_t start, std::string& scratch) {
  scratch.assign(text_.substr(start, at_ - start));
  while (at_ < text_.size()) {
    const char c = text_[at_++];
    if (c == '"') return scratch;
    if (static_cast<unsigned char>(c) < 0x20) break;
    if (c != '\\') {
      scratch.push_back(c);
    } else if (!unescape(scratch)) {
      break;
    }
  }
  fail();
  return {};
}

bool JsonCursor::unescape(std::string& scratch) {
  static constexpr std::string_view kNames = "\"\\/bfnrt";
  static constexpr std::string_view kBytes = "\"\\/\b\f\n\r\t";
  if (at_ == text_.size()) return false;
  const char name = text_[at_++];
  if (const std::size_t i = kNames.find(name); i != std::string_view::npos) {
    scratch.push_back(kBytes[i]);
    return true;
  }
  auto code = name == 'u' ? hex4(text_.substr(at_)) : std::nullopt;
  if (!code) return false;
  at_ += 4;
  if (*code >= 0xd800 && *code <= 0xdfff) {
    // A high half and, at once, a low one.
    const auto low = text_.substr(at_, 2) == "\\u" ? hex4(text_.substr(at_ + 2)) : std::nullopt;
    if (*code > 0xdbff || !low || *low < 0xdc00 || *low > 0xdfff) return false;
    at_ += 6;
    code = 0x10000 + ((*code - 0xd800) << 10U) + (*low - 0xdc00);
  }
  append_utf8(*code, scratch);
  return true;
}

bool JsonCursor::boolean() noexcept {
  const std::string_view word = skip();
  if (word != "true" && word != "false") fail();
  return word == "true";
}

void JsonCursor::skip_string() noexcept {
  for (++at_; at_ < text_.size(); ++at_) {
    if (text_[at_] == '\\') {
      ++at_;
    } else if (text_[at_] == '"') {
      ++at_;
      return;
    }
  }
  at_ = text_.size();
  fail();
}

void JsonCursor::skip_word() noexcept {
  const std::size_t start = at_;
  at_ = std::min(text_.find_first_of(kWordEnds, at_), text_.size());
  if (at_ == start) fail();
}

std::string_view JsonCursor::skip() noexcept {
  skip_blanks();
  const std::size_t start = at_;
  char closing[kMaxJsonDepth];
  unsigned depth = 0;
  do {
    const char c = peek();
    if (c == '{' || c == '[') {
      if (depth == kMaxJsonDepth) fail();
      if (failed_) break;
      closing[depth++] = c == '{' ? '}' : ']';
      ++at_;
    } else if (depth > 0 && c == closing[depth - 1]) {
      --depth;
      ++at_;
    } else if (depth > 0 && (c == ',' || c == ':')) {
      ++at_;
    } else if (c == '"') {
      skip_string();
    } else {
      skip_word();
    }
  } while (depth > 0 && !failed_);
  return failed_ ? std::string_view{} : text_.substr(start, at_ - start);
}

}  // namespace sluice::ruleformats
