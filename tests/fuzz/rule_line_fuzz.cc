// Any text either becomes a rule or is refused with a reason that stands inside it; what becomes
// one is bounded, and its text as it is shown becomes the same rule again.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "controlplane/model/bounds.h"
#include "controlplane/model/parse_rule.h"
#include "controlplane/model/rule.h"

namespace {

using namespace sluice::model;

void require(bool holds) {
  if (!holds) std::abort();
}

void check_tree(const Condition& condition, unsigned depth) {
  require(depth <= kMaxLogicDepth);
  using Op = Condition::Op;
  const bool logic =
      condition.op == Op::all || condition.op == Op::any || condition.op == Op::negation;
  require(logic == !condition.operands.empty());
  require(condition.op != Op::negation || condition.operands.size() == 1);
  require(condition.op != Op::always || depth == 0);
  if (condition.op == Op::atom) {
    require(condition.atom.payload.index() != 0);
    require(!condition.atom.source || takes_address_options(condition.atom.kind));
  }
  for (const Condition& operand : condition.operands) check_tree(operand, depth + 1);
}

Rule as_rule(ParsedRule parsed) {
  Rule rule;
  rule.condition = std::move(parsed.condition);
  rule.payload_text = std::move(parsed.payload);
  rule.target = std::move(parsed.target);
  rule.sub_rule = parsed.sub_rule;
  rule.no_resolve = parsed.no_resolve;
  rule.source = parsed.source;
  return rule;
}

void check(std::string_view text, RuleContext context) {
  auto parsed = parse_rule(text, context);
  if (!parsed) {
    require(parsed.error().offset <= text.size());
    require(!parsed.error().problem.empty() && !parsed.error().remedy.empty());
    return;
  }
  for (const RuleNote& note : parsed->notes) require(note.offset <= text.size());
  require(parsed->notes.size() <= kMaxNotes);
  require(!parsed->api_name.empty());
  require(parsed->target.empty() == (context == RuleContext::rule_set));
  check_tree(parsed->condition, 0);
  if (context == RuleContext::rule_set || parsed->condition.op == Condition::Op::never) return;
  const Rule rule = as_rule(std::move(*parsed));
  auto again = parse_rule(to_text(rule), context);
  require(again.has_value());
  require(as_rule(std::move(*again)) == rule);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const RuleContext context :
       {RuleContext::rules, RuleContext::sub_rules, RuleContext::rule_set})
    check(text, context);
  return 0;
}
