// ruleformats/headless_line.h - a sing-box rule with conditions as one classical rule.
//
//   {"domain_suffix": ["a.test", "b.test"], "port": 443}
//   AND,((OR,((DOMAIN-SUFFIX,a.test),(DOMAIN-SUFFIX,b.test))),(DST-PORT,443))
#pragma once

#include <expected>
#include <string>
#include <string_view>

#include "controlplane/ruleformats/headless_rule.h"

namespace sluice::ruleformats {

/// The error side is the reason why there is no such line: an entry that is none, a text that would
/// tear the brackets apart, a line of more than `max_bytes`. Needs room for about twice the line.
[[nodiscard]] std::expected<std::string, std::string_view> headless_line(
    const HeadlessRule& rule, const HeadlessSource& source, std::size_t max_bytes);

}  // namespace sluice::ruleformats
