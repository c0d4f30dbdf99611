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

}  // namespace sluice::ruleformats
