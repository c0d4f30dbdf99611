#include "controlplane/ruleset/typed_entries.h"

#include <algorithm>

#include "controlplane/model/parse_rule.h"
#include "controlplane/model/read/words.h"
#include "controlplane/model/rule_text/regex_syntax.h"
#include "controlplane/ruleset/bounds.h"
#include "proto/common/utf8.h"

namespace sluice::sets {
namespace {

/// Somebody else's text without what a terminal would act on.
std::string printable(std::string text) {
  std::ranges::replace_if(
      text, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }, '?');
  return valid_utf8(text);
}

}  // namespace

void TypedEntries::name(const ruleformats::NameEntry& entry) {
  if (entry.kind == ruleformats::NameKind::regex) {
    if (const auto syntax = model::rule_text::check_regex(entry.text); !syntax) {
      leave_out(entry.place, {}, printable(syntax.error().problem));
      return;
    }
  }
  ++tally_.entries;
  to_.name(entry);
}

void TypedEntries::prefix(const Prefix& prefix, const ruleformats::Place& place) {
  (void)place;
  ++tally_.entries;
  to_.prefix(prefix);
}

void TypedEntries::line(std::string_view rule, const ruleformats::Place& place) {
  const auto parsed = model::parse_rule(rule, model::RuleContext::rule_set);
  if (!parsed) {
    const model::RuleFault& fault = parsed.error();
    leave_out(place, rule, printable(fault.problem + "; " + fault.remedy));
    return;
  }
  ++tally_.entries;
  to_.condition(parsed->condition);
}

void TypedEntries::fault(const ruleformats::Fault& fault) {
  leave_out(fault.place, fault.text, std::string(fault.reason));
}

void TypedEntries::leave_out(const ruleformats::Place& place, std::string_view text,
                             std::string reason) {
  ++tally_.faults;
  if (faults_.size() < kToldFaults)
    faults_.push_back({list_, place, text.empty() ? std::string() : printable(model::quote(text)),
                       std::move(reason)});
}

}  // namespace sluice::sets
