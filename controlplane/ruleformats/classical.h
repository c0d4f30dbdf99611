// ruleformats/classical.h - entries as classical rules.
//
//   exact    DOMAIN,x           suffix   DOMAIN-SUFFIX,x      below   DOMAIN-WILDCARD,*.x
//   glob     DOMAIN-WILDCARD,x  keyword  DOMAIN-KEYWORD,x     regex   DOMAIN-REGEX,x
//   prefix   IP-CIDR,x          (IP-CIDR6 for IPv6)
#pragma once

#include <string>
#include <string_view>

#include "controlplane/ruleformats/entries.h"

namespace sluice::ruleformats {

/// `wild` as in NameEntry: `*` labels become a regex, one label each.
[[nodiscard]] std::string classical_rule(NameKind kind, bool wild, std::string_view text);
[[nodiscard]] std::string classical_rule(const Prefix& prefix);

/// Whether a text can be the payload of a rule: it is not empty, and has no comma, which would
/// begin the next field. A regex may hold commas.
[[nodiscard]] bool is_one_field(std::string_view text, bool regex) noexcept;

}  // namespace sluice::ruleformats
