#include "controlplane/app/rules_report.h"

#include <gtest/gtest.h>

namespace sluice::control_plane {
namespace {

using contract::RuleSwitch;
using manage::RuleToggle;

/// `rules` with the numbers 0, 2 and 3 (1 was skipped), and a sub-rule list "ads".
Running running() {
  Running out;
  out.manifest.outbounds.resize(2);
  out.manifest.outbounds[0].name = "DIRECT";
  out.manifest.outbounds[1].name = "Out";
  out.manifest.rules = {{"DomainSuffix", "a.test", 1, 0, {}},
                        {"SubRules", "(DST-PORT,443)", 0, 2, {}},
                        {"Match", "", 0, 3, {}},
                        {"Domain", "b.test", 1, 0, "ads"},
                        {"Domain", "c.test", 0, 1, "ads"}};
  out.legend.jumps = {{1, "ads"}};
  out.legend.rules = {{0, {10, 5}}, {2, {12, 5}}, {3, {13, 5}}, {0, {20, 7}}, {1, {21, 7}}};
  return out;
}

contract::RuleStates states() {
  contract::RuleStates out;
  out.unmatched = 9;
  out.lines = {{1, 12, 100, false},
               {2, 10, 300, true},
               {3, 9, 200, false},
               {4, 5, 250, false},
               {0, 5, 0, false}};
  return out;
}

TEST(RulesReport, BothSidesOfEachLine) {
  const manage::RulesReport report = rules_report(running(), "/c.yaml", states(), 77);
  EXPECT_EQ(report.unmatched, 9u);
  EXPECT_EQ(report.since_wall_ms, 77);
  ASSERT_EQ(report.rules.size(), 5u);
  EXPECT_EQ(report.rules[0].target, "Out");
  const manage::RuleReport& jump = report.rules[1];
  EXPECT_EQ(jump.list, "");
  EXPECT_EQ(jump.number, 2u);
  EXPECT_EQ(jump.type, "SubRules");
  EXPECT_EQ(jump.payload, "(DST-PORT,443)");
  EXPECT_EQ(jump.target, "ads") << "the list that it goes through";
  EXPECT_EQ(jump.place, "/c.yaml:12:5");
  EXPECT_TRUE(jump.disabled);
  EXPECT_EQ(jump.hits, 2u);
  EXPECT_EQ(jump.hit_wall_ms, 300'000);
  EXPECT_EQ(jump.misses, 10u);
  EXPECT_EQ(report.rules[3].list, "ads");
  EXPECT_EQ(report.rules[3].place, "/c.yaml:20:7");
}

TEST(RulesReport, TheLastMissIsTheLastHitFurtherDownTheSameList) {
  const manage::RulesReport report = rules_report(running(), "/c.yaml", states(), 0);
  std::vector<std::int64_t> misses;
  for (const manage::RuleReport& rule : report.rules) misses.push_back(rule.miss_wall_ms);
  EXPECT_EQ(misses, (std::vector<std::int64_t>{300'000, 200'000, 0, 0, 0}));
}

TEST(RulesReport, SwitchesAreFoundByListAndNumber) {
  const auto manifest = running().manifest;
  EXPECT_EQ(*switches_of(manifest, {{"", 3, true}, {"ads", 0, false}}),
            (std::vector<RuleSwitch>{{2, true}, {3, false}}));
  EXPECT_EQ(*switches_of(manifest, {{"", 3, true}, {"", 3, false}}),
            (std::vector<RuleSwitch>{{2, false}}))
      << "of two the later counts";
}

TEST(RulesReport, ALineThatIsNotThereIsNamed) {
  const auto manifest = running().manifest;
  const std::pair<RuleToggle, const char*> table[] = {
      {{"", 1, true}, "there is no line 1; `sluice rules list` numbers them"},
      {{"ads", 2, true},
       "there is no line 2 in the sub-rule list ads; `sluice rules list` numbers them"},
      {{"asd", 0, true}, "no rule uses a sub-rule list asd; did you mean `ads`?"}};
  for (const auto& [toggle, text] : table) {
    const auto found = switches_of(manifest, {{"", 3, true}, toggle});
    ASSERT_FALSE(found) << text;
    EXPECT_EQ(found.error().kind, manage::FaultKind::not_found);
    EXPECT_EQ(found.error().text, text);
  }
}

}  // namespace
}  // namespace sluice::control_plane
