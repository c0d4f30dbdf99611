#include "controlplane/ruleformats/adguard_pattern.h"

#include <algorithm>

#include "proto/common/address.h"
#include "proto/common/text.h"

namespace sluice::ruleformats {
namespace {

using Start = AdguardPattern::Start;

bool legal(char c) noexcept {
  return (c >= '0' && c <= '9') || (to_lower(c) >= 'a' && to_lower(c) <= 'z') || c == '-' ||
         c == '_' || c == '.' || c == '*' || static_cast<unsigned char>(c) >= 0x80;
}

bool drop_prefix(std::string_view& text, std::string_view prefix) noexcept {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

bool drop_suffix(std::string_view& text, std::string_view suffix) noexcept {
  if (!text.ends_with(suffix)) return false;
  text.remove_suffix(suffix.size());
  return true;
}

}  // namespace

AdguardPattern AdguardPattern::parse(std::string_view text) noexcept {
  AdguardPattern out;
  if (drop_prefix(text, "||")) {
    out.start = Start::label;
  } else if (drop_prefix(text, "|")) {
    out.start = Start::name;
  }
  const bool bar = drop_suffix(text, "|");
  out.to_end = drop_suffix(text, "^") || bar;
  out.body = text;
  return out;
}

void AdguardNames::add(NameKind kind, std::string_view head, std::string_view body,
                       std::string_view tail) {
  Item& item = items_[count_++];
  item.kind = kind;
  item.text.clear();
  for (const std::string_view part : {head, body, tail}) {
    for (const char c : part) {
      const bool repeated = c == '*' && item.text.ends_with('*');
      if (!repeated) item.text.push_back(to_lower(c));
    }
  }
}

void AdguardNames::add_globs(const AdguardPattern& pattern) {
  const std::string_view tail = pattern.to_end ? "" : "*";
  if (pattern.start == Start::anywhere) {
    add(NameKind::glob, "*", pattern.body, tail);
    return;
  }
  add(NameKind::glob, {}, pattern.body, tail);
  // "*..." already begins anywhere, so a second form would say the same.
  if (pattern.start == Start::label && !pattern.body.starts_with('*'))
    add(NameKind::glob, "*.", pattern.body, tail);
}

std::string_view AdguardNames::expand(const AdguardPattern& pattern) {
  count_ = 0;
  const std::string_view body = pattern.body;
  if (body.find('/') != std::string_view::npos) return "is about addresses of pages, not names";
  if (body.find_first_not_of("*.") == std::string_view::npos) return "names nothing in particular";
  if (!std::ranges::all_of(body, legal)) return "has a character that no name has";
  if (body.size() > kMaxPattern) return "is longer than a name can be";
  if (IpAddress::parse(body)) return "is an address, not a name";
  const std::size_t star = body.find('*');
  if (pattern.to_end && pattern.start != Start::anywhere && star == std::string_view::npos) {
    add(pattern.start == Start::label ? NameKind::suffix : NameKind::exact, {}, body);
  } else if (pattern.to_end && body.starts_with("*.") && body.rfind('*') == 0) {
    add(NameKind::below, {}, body.substr(2));
  } else if (!pattern.to_end && pattern.start == Start::anywhere &&
             star == std::string_view::npos) {
    add(NameKind::keyword, {}, body);
  } else {
    add_globs(pattern);
  }
  return {};
}

}  // namespace sluice::ruleformats
