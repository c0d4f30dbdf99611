#include "ui/cli/convert/plain_lines.h"

#include "proto/common/text.h"

namespace sluice::cli {
namespace {

using ruleformats::NameKind;

/// Cuts off and gives back what stands before the next comma.
std::string_view take_field(std::string_view& rest) {
  const std::size_t comma = rest.find(',');
  const std::string_view out = trim(rest.substr(0, comma));
  rest = comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 1);
  return out;
}

}  // namespace

bool PlainLines::take_name(std::string_view type, std::string_view payload,
                           const ruleformats::Place& place) {
  if (iequals(type, "DOMAIN")) {
    feed_.name(NameKind::exact, payload, place);
  } else if (iequals(type, "DOMAIN-SUFFIX")) {
    feed_.name(NameKind::suffix, payload, place);
  } else if (iequals(type, "DOMAIN-WILDCARD") && payload.starts_with("*.") &&
             payload.find_first_of("*?", 1) == std::string_view::npos) {
    feed_.name(NameKind::below, payload.substr(2), place);
  } else {
    return false;
  }
  return true;
}

void PlainLines::line(std::string_view rule, const ruleformats::Place& place) {
  std::string_view rest = rule;
  const std::string_view type = take_field(rest);
  const std::string_view payload = take_field(rest);
  const std::string_view option = trim(rest);
  if (option.empty() && take_name(type, payload, place)) return;
  const bool plain = option.empty() || iequals(option, "no-resolve");
  if (plain && (iequals(type, "IP-CIDR") || iequals(type, "IP-CIDR6"))) {
    if (const auto prefix = Prefix::parse(payload)) {
      feed_.prefix(*prefix, place);
      return;
    }
  }
  to_.line(rule, place);
}

}  // namespace sluice::cli
