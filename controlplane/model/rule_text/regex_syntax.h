// rule_text/regex_syntax.h - whether a pattern is a regular expression, and what can run it.
//
//   RE2     linear in the length of what is searched, whatever the pattern
//   PCRE2   look-around, back references, possessive repeats: may backtrack, so whoever runs it
//           sets match and depth limits
#pragma once

#include <expected>
#include <string>
#include <string_view>

#include "controlplane/model/condition.h"
#include "controlplane/model/rule_text/outcome.h"

namespace sluice::model::rule_text {

struct RegexSyntax {
  RegexEngine engine = RegexEngine::re2;
  std::string slow_because;  ///< pcre2: what RE2 does not have, "`(?!`"
};

[[nodiscard]] std::expected<RegexSyntax, PayloadFault> check_regex(std::string_view pattern);

}  // namespace sluice::model::rule_text
