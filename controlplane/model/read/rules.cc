// `rules:` and the lists under `sub-rules:`.
#include "controlplane/model/parse_rule.h"
#include "controlplane/model/read/readers.h"
#include "controlplane/model/read/words.h"
#include "proto/common/text.h"

namespace sluice::model {
namespace {

class RuleList {
 public:
  RuleList(const Fields& top, const Value& list, RuleContext context)
      : top_(top), list_(list), context_(context) {}

  [[nodiscard]] std::vector<Rule> read() {
    std::vector<Rule> out;
    if (!list_.node->is_sequence()) {
      top_.error(list_.place(), "is " + std::string(shape_of(*list_.node)) + ", a list is needed",
                 "write one `- TYPE,payload,target` per line");
      return out;
    }
    const auto items = list_.node->items;
    out.reserve(items.size());
    for (std::size_t i = 0; i < items.size(); ++i) read_item(*items[i], i, out);
    return out;
  }

 private:
  void read_item(const Node& item, std::size_t index, std::vector<Rule>& out) {
    if (!item.is_scalar() || item.is_null()) {
      top_.error({item.position(), join_path(list_.path, index)},
                 item.is_scalar() ? "is empty" : "is " + std::string(shape_of(item)),
                 "write `TYPE,payload,target`, in quotes if it holds `: `");
      return;
    }
    auto parsed = parse_rule(item.text, context_);
    if (!parsed) {
      const RuleFault& fault = parsed.error();
      top_.error({item.position(), join_path(list_.path, index)},
                 quote(trim(item.text)) + ": " + fault.problem, fault.remedy);
      return;
    }
    for (const RuleNote& note : parsed->notes) say(note, item, index, *parsed);
    if (parsed->condition.op == Condition::Op::never) return;
    Rule& rule = out.emplace_back();
    rule.condition = std::move(parsed->condition);
    rule.payload_text = std::move(parsed->payload);
    rule.target = std::move(parsed->target);
    rule.sub_rule = parsed->sub_rule;
    rule.no_resolve = parsed->no_resolve;
    rule.source = parsed->source;
    rule.index = static_cast<std::uint32_t>(index);
    rule.at = item.position();
  }

  void say(const RuleNote& note, const Node& item, std::size_t index, const ParsedRule& rule) {
    const Place place{item.position(), join_path(list_.path, index)};
    const std::string problem = quote(trim(item.text)) + ": " + note.problem;
    if (note.topic == RuleNote::Topic::slow_pattern)
      top_.report().warning_once("slow pattern", place, problem, note.remedy);
    else if (rule.condition.op == Condition::Op::never)
      top_.warning(place, problem, "the line matches nothing and is skipped");
    else
      top_.warning(place, problem, note.remedy);
  }

  const Fields& top_;
  const Value& list_;
  RuleContext context_;
};

}  // namespace

void read_rules(const Fields& top, std::vector<Rule>& out) {
  if (const auto list = top.value("rules")) out = RuleList(top, *list, RuleContext::rules).read();
}

void read_sub_rules(const Fields& top, std::vector<SubRules>& out) {
  const auto map = top.map("sub-rules");
  if (!map) return;
  for (const Member& member : map->node().members) {
    if (member.key.empty()) {
      top.error({member.position(), map->path()}, "a list needs a name", "write one");
      continue;
    }
    const Value list{member.value, join_path(map->path(), member.key)};
    SubRules& entry = out.emplace_back();
    entry.name = member.key;
    entry.at = member.position();
    // A list that is left out has no lines: whatever goes there comes back.
    if (!member.value->is_null()) entry.rules = RuleList(top, list, RuleContext::sub_rules).read();
  }
}

}  // namespace sluice::model
