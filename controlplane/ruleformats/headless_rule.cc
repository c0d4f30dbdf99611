#include "controlplane/ruleformats/headless_rule.h"

#include "proto/common/text.h"

namespace sluice::ruleformats {
namespace {

void read_prefix(std::string_view text, HeadlessTerms& to) {
  if (const auto prefix = Prefix::parse(text)) {
    to.prefix(*prefix);
  } else {
    to.bad(text, "is not an address or prefix");
  }
}

/// "1000:2000", ":99" and "60000:" as sing-box writes ranges of ports.
void read_range(std::string_view text, HeadlessTerms& to) {
  const auto port = [](std::string_view digits, std::uint16_t open) {
    return digits.empty() ? Result<std::uint64_t>(open) : parse_number(digits, UINT16_MAX);
  };
  const std::size_t colon = text.find(':');
  const bool range = colon != std::string_view::npos && text.size() > 1;
  const auto low = port(text.substr(0, range ? colon : 0), 0);
  const auto high = port(text.substr(range ? colon + 1 : text.size()), UINT16_MAX);
  if (!range || !low || !high || *low > *high) {
    to.bad(text, "is not a range of ports");
  } else {
    to.ports(static_cast<std::uint16_t>(*low), static_cast<std::uint16_t>(*high));
  }
}

}  // namespace

HeadlessGroup group_of(HeadlessField field) noexcept {
  switch (field) {
    case HeadlessField::name_set:
    case HeadlessField::adguard_set:
    case HeadlessField::exact:
    case HeadlessField::suffix:
    case HeadlessField::keyword:
    case HeadlessField::regex:
    case HeadlessField::prefix:
      return HeadlessGroup::destination;
    case HeadlessField::port:
    case HeadlessField::port_range:
      return HeadlessGroup::port;
    case HeadlessField::source_prefix:
      return HeadlessGroup::source_prefix;
    case HeadlessField::source_port:
    case HeadlessField::source_port_range:
      return HeadlessGroup::source_port;
    case HeadlessField::network:
      return HeadlessGroup::network;
    case HeadlessField::process_name:
      return HeadlessGroup::process_name;
    case HeadlessField::process_path:
      return HeadlessGroup::process_path;
    case HeadlessField::process_path_regex:
      return HeadlessGroup::process_path_regex;
    case HeadlessField::unknown:
      break;
  }
  return HeadlessGroup::none;
}

void read_headless_text(HeadlessField field, std::string_view text, HeadlessTerms& to) {
  switch (field) {
    case HeadlessField::exact:
      to.name(NameKind::exact, text);
      break;
    case HeadlessField::suffix:
      to.name(text.starts_with('.') ? NameKind::below : NameKind::suffix,
              text.substr(text.starts_with('.') ? 1 : 0));
      break;
    case HeadlessField::keyword:
      to.name(NameKind::keyword, text);
      break;
    case HeadlessField::regex:
      to.name(NameKind::regex, text);
      break;
    case HeadlessField::prefix:
    case HeadlessField::source_prefix:
      read_prefix(text, to);
      break;
    case HeadlessField::port_range:
    case HeadlessField::source_port_range:
      read_range(text, to);
      break;
    default:
      to.word(text);
  }
}

}  // namespace sluice::ruleformats
