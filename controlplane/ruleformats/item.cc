#include "controlplane/ruleformats/item.h"

#include <algorithm>

#include "proto/common/text.h"

namespace sluice::ruleformats {
namespace {

void feed_domain(std::string_view text, const Place& place, Feed& feed) {
  NameKind kind = NameKind::exact;
  std::string_view name = text;
  if (name.starts_with("+.")) {
    kind = NameKind::suffix;
    name.remove_prefix(2);
  } else if (name.starts_with('.')) {
    kind = NameKind::below;
    name.remove_prefix(1);
  }
  if (name.starts_with("+.") || name.ends_with(".+") || name == "+" ||
      name.find(".+.") != std::string_view::npos) {
    feed.fault(place, text, "has a `+` that is not its first label");
    return;
  }
  feed.name(kind, name, place, NameText::Wildcards::labels);
}

void feed_ipcidr(std::string_view text, const Place& place, Feed& feed) {
  const auto prefix = Prefix::parse(text);
  if (prefix) {
    feed.prefix(*prefix, place);
  } else if (prefix.error().code == Errc::unsupported) {
    feed.fault(place, text, "covers the IPv4-mapped addresses, which are matched as IPv4");
  } else {
    feed.fault(place, text, "is not an address or prefix");
  }
}

/// Types are words of letters, digits and `-`.
bool is_type(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return (to_lower(c) >= 'a' && to_lower(c) <= 'z') || (c >= '0' && c <= '9') || c == '-';
  });
}

bool has_control(std::string_view text) {
  return std::ranges::any_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x20; });
}

void feed_classical(std::string_view text, const Place& place, Feed& feed) {
  const std::string_view type = trim(text.substr(0, text.find(',')));
  for (const std::string_view barred : {"MATCH", "RULE-SET", "SUB-RULE"}) {
    if (iequals(type, barred)) {
      feed.fault(place, text, "is of a type that no rule set may hold");
      return;
    }
  }
  if (text.find(',') == std::string_view::npos || !is_type(type)) {
    feed.fault(place, text, "is not a rule; write TYPE,payload");
  } else if (has_control(text)) {
    feed.fault(place, text, "has a control character");
  } else {
    feed.line(text, place);
  }
}

}  // namespace

void feed_item(Behavior behavior, std::string_view text, const Place& place, Feed& feed) {
  const std::string_view item = trim(text);
  if (item.empty()) {
    feed.fault(place, item, "is empty");
    return;
  }
  switch (behavior) {
    case Behavior::domain:
      feed_domain(item, place, feed);
      break;
    case Behavior::ipcidr:
      feed_ipcidr(item, place, feed);
      break;
    case Behavior::classical:
      feed_classical(item, place, feed);
      break;
  }
}

}  // namespace sluice::ruleformats
