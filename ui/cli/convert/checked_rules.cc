#include "ui/cli/convert/checked_rules.h"

#include <string>

#include "controlplane/model/parse_rule.h"
#include "controlplane/model/rule_text/regex_syntax.h"

namespace sluice::cli {

void CheckedRules::name(const ruleformats::NameEntry& entry) {
  if (entry.kind == ruleformats::NameKind::regex) {
    if (const auto syntax = model::rule_text::check_regex(entry.text); !syntax) {
      to_.fault({entry.place, {}, syntax.error().problem});
      return;
    }
  }
  to_.name(entry);
}

void CheckedRules::line(std::string_view rule, const ruleformats::Place& place) {
  const auto parsed = model::parse_rule(rule, model::RuleContext::rule_set);
  if (parsed) return to_.line(rule, place);
  const std::string reason = parsed.error().problem + "; " + parsed.error().remedy;
  to_.fault({place, rule, reason});
}

}  // namespace sluice::cli
