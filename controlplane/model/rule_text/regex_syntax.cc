#include "controlplane/model/rule_text/regex_syntax.h"

#include <re2/re2.h>

#include "controlplane/model/bounds.h"
#include "controlplane/model/read/words.h"
#include "proto/ruleset/patterns.h"

namespace sluice::model::rule_text {
namespace {

/// What RE2 has against a pattern. Only for the message: which engine runs it is the compiled
/// form's to say.
struct Objection {
  std::string part;  ///< "`(?!`"
  std::string text;  ///< "invalid perl operator: (?!"
};

Objection objection_to(std::string_view pattern) {
  RE2::Options options(RE2::Latin1);
  options.set_case_sensitive(false);
  options.set_log_errors(false);
  const RE2 re2(re2::StringPiece(pattern.data(), pattern.size()), options);
  const bool large = re2.error_code() == RE2::ErrorPatternTooLarge || re2.error_arg().empty();
  return {large ? "room for so large a pattern" : "`" + re2.error_arg() + "`", re2.error()};
}

}  // namespace

std::expected<RegexSyntax, PayloadFault> check_regex(std::string_view pattern) {
  const auto engine = ruleset::check_pattern(pattern);
  if (engine && *engine == ruleset::Engine::linear) return RegexSyntax{};
  if (engine) return RegexSyntax{RegexEngine::pcre2, objection_to(pattern).part};
  if (engine.error().code == Errc::too_large)
    return wrong("the pattern is longer than " + std::to_string(kMaxPattern) + " bytes",
                 "write it as several lines");
  return wrong(quote(pattern) + " is not a regular expression: " + objection_to(pattern).text,
               "correct the pattern");
}

}  // namespace sluice::model::rule_text
