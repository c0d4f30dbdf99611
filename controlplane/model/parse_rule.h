// model/parse_rule.h - the one reader of a rule's text, wherever rules stand.
//
//   context    text                                              fields
//   rules      TYPE,payload,target[,option...]                   in `rules:`
//   sub_rules  the same                                          in a list under `sub-rules:`
//   rule_set   TYPE,payload[,option...]                          a line of a classical set
//
//   payload of AND, OR     ((TYPE,payload[,option...]),(...),...)
//   payload of NOT         ((...)) or (...)
//   payload of SUB-RULE    (...) or ((...)); its target is the name of a list
//
// Only the fields around a payload are split off: commas inside a regex or a port list belong to
// it. Pure; thread: any.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "controlplane/model/condition.h"

namespace sluice::model {

enum class RuleContext : std::uint8_t { rules, sub_rules, rule_set };

/// Why a text is no rule. `offset`: byte in the text where the part in question begins.
struct RuleFault {
  std::string problem;
  std::string remedy;
  std::size_t offset = 0;
};

/// Something worth a warning about a text that is a rule.
struct RuleNote {
  enum class Topic : std::uint8_t {
    option,           ///< an option that is not known or means nothing here; it is ignored
    slow_pattern,     ///< a regex that RE2 cannot express
    matches_nothing,  ///< an atom that no flow can meet
  };
  Topic topic = Topic::option;
  std::string problem;
  std::string remedy;
  std::size_t offset = 0;
};

struct ParsedRule {
  Condition condition;
  std::string_view api_name;  ///< "DomainSuffix", "AND", "SubRules", "Match"; static storage
  std::string payload;        ///< as written, blanks around trimmed; empty for MATCH
  std::string target;         ///< as written; empty in a rule set
  bool sub_rule = false;      ///< `target` names a list under `sub-rules:`
  bool no_resolve = false;    ///< the options behind the line; its atoms have them already
  bool source = false;
  std::vector<RuleNote> notes;  ///< the first kMaxNotes
};

/// Whether targets, lists and providers exist is not looked at: nobody but the caller knows.
[[nodiscard]] std::expected<ParsedRule, RuleFault> parse_rule(std::string_view text,
                                                              RuleContext context);

}  // namespace sluice::model
