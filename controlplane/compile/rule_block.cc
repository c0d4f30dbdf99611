#include "controlplane/compile/rule_block.h"

#include <string_view>
#include <unordered_map>
#include <utility>

#include "controlplane/compile/atoms.h"
#include "controlplane/compile/conditions.h"
#include "controlplane/compile/rule_lines.h"
#include "controlplane/compile/sniff_lists.h"
#include "controlplane/compile/used_lists.h"
#include "proto/ruleset/builder.h"

namespace sluice::compile {
namespace {

using ruleset::Condition;

class BlockWriter {
 public:
  BlockWriter(const model::Config& config, const Inputs& inputs)
      : config_(config),
        conditions_(inputs, block_,
                    config.geo.find_process == model::FindProcess::off ? Owners::off : Owners::on) {
    for (const NumberedList& list : numbered_lists(config))
      lists_.emplace(list.list->name, List{&list.list->rules, list.first, {}});
  }

  Result<RuleBlock> run() {
    for (const model::Rule& rule : config_.rules) add_line(rule);
    for (const model::SubRules* list : entry_lists(config_)) {
      block_.begin_entry();
      Condition::List guards;
      place(list->name, guards);
    }
    add_sniff_lists();
    auto bytes = block_.finish();
    if (!bytes) return fail(bytes.error());
    return RuleBlock{std::move(*bytes), block_.left_out(), conditions_.slow_patterns()};
  }

 private:
  struct List {
    const std::vector<model::Rule>* rules;
    std::uint32_t first;                ///< number of the first line
    std::vector<Condition> conditions;  ///< of all lines, once the list is placed
  };

  /// Behind all lines of rules, which are those that people see.
  void add_sniff_lists() {
    auto line = static_cast<std::uint32_t>(config_.rules.size());
    for (const NumberedList& list : numbered_lists(config_))
      line += static_cast<std::uint32_t>(list.list->rules.size());
    for (const SniffEntry& entry : sniff_lists(config_)) {
      block_.begin_entry();
      block_.place(line++, conditions_.make(condition_of(*entry.list)));
    }
  }

  void add_line(const model::Rule& rule) {
    const model::Condition& condition = rule.condition;
    if (rule.sub_rule)
      add_group(rule);
    else if (condition.op != model::Condition::Op::atom || !add_short(condition.atom))
      block_.line(conditions_.make(condition));
  }

  /// What long lists are made of, without a tree of conditions.
  bool add_short(const model::Atom& atom) {
    using model::AtomKind;
    switch (atom.kind) {
      case AtomKind::domain:
        block_.domain(std::get<std::string>(atom.payload));
        return true;
      case AtomKind::domain_suffix:
        block_.domain_suffix(std::get<std::string>(atom.payload));
        return true;
      case AtomKind::domain_keyword:
        block_.domain_keyword(std::get<std::string>(atom.payload));
        return true;
      case AtomKind::ip_cidr:
        if (atom.source)
          block_.source(std::get<Prefix>(atom.payload));
        else
          block_.destination(std::get<Prefix>(atom.payload), resolve_of(atom));
        return true;
      default:
        return false;
    }
  }

  void add_group(const model::Rule& rule) {
    Condition::List guards;
    guards.push_back(conditions_.make(rule.condition));
    block_.begin_group();
    place(rule.target, guards);
    block_.end_group();
  }

  /// Lists hold lists at most kMaxSubRuleDepth deep, and none itself.
  void place(std::string_view name, Condition::List& guards) {
    const auto found = lists_.find(name);
    if (found == lists_.end()) return;
    List& list = found->second;
    const std::vector<model::Rule>& rules = *list.rules;
    if (list.conditions.empty())
      for (const model::Rule& rule : rules)
        list.conditions.push_back(conditions_.make(rule.condition));
    for (std::size_t i = 0; i < rules.size(); ++i) {
      guards.push_back(list.conditions[i]);
      const auto line = list.first + static_cast<std::uint32_t>(i);
      if (rules[i].sub_rule) {
        block_.begin_group(line);
        place(rules[i].target, guards);
        block_.end_group();
      } else {
        block_.place(line, Condition::all(guards));
      }
      guards.pop_back();
    }
  }

  const model::Config& config_;
  ruleset::Builder block_;
  Conditions conditions_;
  std::unordered_map<std::string_view, List> lists_;  // by name; never grows after the start
};

}  // namespace

Result<RuleBlock> make_block(const model::Config& config, const Inputs& inputs) {
  return BlockWriter(config, inputs).run();
}

}  // namespace sluice::compile
