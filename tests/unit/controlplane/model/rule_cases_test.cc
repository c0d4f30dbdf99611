// Cases of rules that go wrong elsewhere, by their ids: what the configuration makes of them.
#include "controlplane/model/parse_rule.h"
#include "tests/unit/controlplane/model/load_support.h"

namespace sluice::model {
namespace {

std::string errors(std::string_view text) {
  std::string out;
  std::istringstream lines(said(text));
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("E ")) out += line + "\n";
  return out;
}

Config config_of(const std::string& id) {
  return loaded(golden("cases/" + id + ".yaml"));
}

TEST(RuleCases, FilesOfTheCasesLoad) {
  for (const char* id : {"B010", "B023", "B025", "B026", "B028", "B031", "B034", "B037", "B038"})
    EXPECT_EQ(errors(golden(std::string("cases/") + id + ".yaml")), "") << id;
}

TEST(RuleCases, B025_AGuardedListIsReadWithItsGuard) {
  const Config config = config_of("B025");
  ASSERT_EQ(config.sub_rules.size(), 1U);
  EXPECT_EQ(config.sub_rules[0].name, "guarded");
  EXPECT_TRUE(config.sub_rules[0].rules.at(0).condition.atom.asks_for_address());
  const auto guard = parse_rule("SUB-RULE,(DST-PORT,9),guarded", RuleContext::rules);
  ASSERT_TRUE(guard);
  EXPECT_FALSE(guard->condition.may_ask_for_address());
}

TEST(RuleCases, B026_AClassicalSetMayAskUnlessItIsToldNotTo) {
  const Config config = config_of("B026");
  ASSERT_EQ(config.rule_providers.size(), 1U);
  EXPECT_EQ(config.rule_providers[0].behavior, RuleBehavior::classical);
  EXPECT_TRUE(parse_rule("RULE-SET,C,REJECT", RuleContext::rules)->condition.may_ask_for_address());
  EXPECT_FALSE(parse_rule("RULE-SET,C,REJECT,no-resolve", RuleContext::rules)
                   ->condition.may_ask_for_address());
}

TEST(RuleCases, B028_ARangeOfMappedAddressesTakesNoIPv4) {
  const Config config = config_of("B028");
  ASSERT_EQ(config.rules.size(), 1U);
  EXPECT_EQ(api_name(config.rules[0]), "Match");
}

TEST(RuleCases, B031_NamesInUmlautsAreComparedAsALabels) {
  const Config config = config_of("B031");
  EXPECT_EQ(std::get<std::string>(config.rules.at(0).condition.atom.payload), "xn--bcher-kva.test");
  EXPECT_EQ(config.rules[0].payload_text, "bücher.test");
}

TEST(RuleCases, B034_AttributesAndExclamationMarksBelongToTheCategory) {
  for (const auto& [line, category] : {std::pair{"GEOSITE,sample@cn,REJECT", "sample@cn"},
                                       {"GEOSITE,GEO-!CN@cn,REJECT", "geo-!cn@cn"}})
    EXPECT_EQ(std::get<std::string>(parse_rule(line, RuleContext::rules)->condition.atom.payload),
              category);
  EXPECT_TRUE(config_of("B034").geo.dat);
}

TEST(RuleCases, B035_AnUnknownTypeIsRefusedWithIndexAndText) {
  EXPECT_EQ(errors(golden("cases/B035.yaml")),
            "E f.yaml:12:5: rules[2]: \"GEOSITE:sample,DIRECT\": unsupported rule type "
            "\"GEOSITE:sample\"; write TYPE,payload,target with a known type\n");
}

TEST(RuleCases, B038_HostBitsMasksCaseAndBlanks) {
  const Config config = config_of("B038");
  EXPECT_EQ(std::get<Prefix>(config.rules.at(0).condition.atom.payload).to_string(),
            "10.10.0.0/20");
  EXPECT_EQ(errors("rules: ['IP-CIDR,10.0.0.0/33,REJECT']\n").substr(0, 27),
            "E f.yaml:1:9: rules[0]: \"IP");
}

}  // namespace
}  // namespace sluice::model
