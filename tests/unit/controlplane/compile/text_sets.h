// Shared by this folder's tests: sets whose contents are written as in rule files.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "controlplane/compile/inputs.h"
#include "controlplane/model/parse_rule.h"
#include "controlplane/ruleformats/rule_file.h"

namespace sluice::compile {

/// What a rule file holds, handed on to compile.
class EntriesOf final : public ruleformats::Entries {
 public:
  explicit EntriesOf(SetEntries& to) : to_(to) {}
  void name(const ruleformats::NameEntry& entry) override { to_.name(entry); }
  void prefix(const Prefix& prefix, const ruleformats::Place&) override { to_.prefix(prefix); }
  void line(std::string_view rule, const ruleformats::Place&) override {
    const auto parsed = model::parse_rule(rule, model::RuleContext::rule_set);
    if (parsed) to_.condition(parsed->condition);
  }
  void fault(const ruleformats::Fault&) override {}

 private:
  SetEntries& to_;
};

class TextSets final : public SetInput, public ZoneInput {
 public:
  struct Content {
    ruleformats::Behavior behavior = ruleformats::Behavior::domain;
    std::string text;
    ruleformats::Format format = ruleformats::Format::text;
    bool inverse = false;
  };

  std::map<SetRef, Content> contents;
  std::map<std::string, ruleset::Zone, std::less<>> zones;  ///< others are UTC
  std::vector<SetRef> asked;
  std::vector<std::string> asked_zones;

  TextSets& names(std::string name, std::string text) {
    contents[{SetKind::provider, std::move(name)}] = {ruleformats::Behavior::domain,
                                                      std::move(text)};
    return *this;
  }
  TextSets& ranges(std::string name, std::string text) {
    contents[{SetKind::provider, std::move(name)}] = {ruleformats::Behavior::ipcidr,
                                                      std::move(text)};
    return *this;
  }
  TextSets& rules(std::string name, std::string text) {
    contents[{SetKind::provider, std::move(name)}] = {ruleformats::Behavior::classical,
                                                      std::move(text)};
    return *this;
  }

  SetTraits read(const SetRef& set, SetEntries& to) override {
    asked.push_back(set);
    const auto found = contents.find(set);
    if (found == contents.end()) return {};
    EntriesOf entries(to);
    (void)ruleformats::read_rule_file(found->second.format, found->second.behavior,
                                      as_byte_view(found->second.text), {}, entries);
    return {found->second.inverse};
  }
  ruleset::Zone zone(std::string_view name) override {
    asked_zones.emplace_back(name);
    const auto found = zones.find(name);
    return found == zones.end() ? ruleset::Zone() : found->second;
  }
};

}  // namespace sluice::compile
