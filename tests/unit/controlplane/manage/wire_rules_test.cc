#include <gtest/gtest.h>

#include "controlplane/manage/wire.h"

namespace sluice::manage {
namespace {

TEST(WireRules, EveryFieldOfALineTravels) {
  RulesReport report;
  report.unmatched = 7;
  report.since_wall_ms = 1'000;
  report.changed_wall_ms = 2'000;
  report.rules.push_back({.list = "ads",
                          .number = 3,
                          .type = "DomainSuffix",
                          .payload = "a\xff.test",
                          .target = "Out",
                          .place = "c.yaml:9:5",
                          .disabled = true,
                          .hits = 5'000'000'000,
                          .hit_wall_ms = 2'000,
                          .misses = 6,
                          .miss_wall_ms = 3'000});
  const pb::RuleTable table = to_wire(report);
  EXPECT_EQ(table.unmatched(), 7u);
  EXPECT_EQ(table.since_wall_ms(), 1'000);
  EXPECT_EQ(table.changed_wall_ms(), 2'000);
  ASSERT_EQ(table.rules_size(), 1);
  const pb::Rule& rule = table.rules(0);
  EXPECT_EQ(rule.list(), "ads");
  EXPECT_EQ(rule.number(), 3u);
  EXPECT_EQ(rule.type(), "DomainSuffix");
  EXPECT_EQ(rule.payload(), "a\xEF\xBF\xBD.test") << "only UTF-8 may travel";
  EXPECT_EQ(rule.target(), "Out");
  EXPECT_EQ(rule.place(), "c.yaml:9:5");
  EXPECT_TRUE(rule.disabled());
  EXPECT_EQ(rule.hits(), 5'000'000'000u);
  EXPECT_EQ(rule.hit_wall_ms(), 2'000);
  EXPECT_EQ(rule.misses(), 6u);
  EXPECT_EQ(rule.miss_wall_ms(), 3'000);
}

TEST(WireRules, SwitchesAreReadInTheirOrder) {
  pb::SetRulesRequest request;
  EXPECT_EQ(from_wire(request).error().kind, FaultKind::invalid) << "nothing to switch";
  for (const std::uint32_t number : {4U, 2U}) {
    pb::RuleSwitch& one = *request.add_switches();
    one.set_list("ads");
    one.set_number(number);
    one.set_disabled(number == 2);
  }
  const auto toggles = from_wire(request);
  ASSERT_TRUE(toggles);
  EXPECT_EQ(*toggles, (std::vector<RuleToggle>{{"ads", 4, false}, {"ads", 2, true}}));
}

TEST(WireRules, EveryFieldOfAProviderTravels) {
  const pb::RuleProviderTable table = to_wire({RuleProviderReport{
      .name = "ads",
      .kind = model::ProviderKind::file,
      .behavior = model::RuleBehavior::ipcidr,
      .format = model::RuleFormat::adguard,
      .in_force = true,
      .entries = 10,
      .refused = 2,
      .changed_wall_ms = 1,
      .checked_wall_ms = 2,
      .next_wall_ms = 3,
      .refreshing = true,
      .fault = "no route",
      .digest = "0123456789abcdef",
  }});
  ASSERT_EQ(table.providers_size(), 1);
  const pb::RuleProvider& provider = table.providers(0);
  EXPECT_EQ(provider.name(), "ads");
  EXPECT_EQ(provider.kind(), pb::PROVIDER_FILE);
  EXPECT_EQ(provider.behavior(), pb::RULE_BEHAVIOR_IPCIDR);
  EXPECT_EQ(provider.format(), pb::RULE_FORMAT_ADGUARD);
  EXPECT_TRUE(provider.in_force());
  EXPECT_EQ(provider.entries(), 10u);
  EXPECT_EQ(provider.refused(), 2u);
  EXPECT_EQ(provider.changed_wall_ms(), 1);
  EXPECT_EQ(provider.checked_wall_ms(), 2);
  EXPECT_EQ(provider.next_wall_ms(), 3);
  EXPECT_TRUE(provider.refreshing());
  EXPECT_EQ(provider.fault(), "no route");
  EXPECT_EQ(provider.digest(), "0123456789abcdef");
}

TEST(WireRules, ProgressTravelsWithItsEnd) {
  const pb::RuleProviderUpdates updates =
      to_wire(std::vector<ProviderProgress>{{"a", ProviderProgress::State::running, 10, 20, {}},
                                            {"b", ProviderProgress::State::failed, 1, 0, "404"}});
  ASSERT_EQ(updates.updates_size(), 2);
  EXPECT_EQ(updates.updates(0).state(), pb::REFRESH_RUNNING);
  EXPECT_EQ(updates.updates(0).received(), 10u);
  EXPECT_EQ(updates.updates(0).total(), 20u);
  EXPECT_EQ(updates.updates(1).name(), "b");
  EXPECT_EQ(updates.updates(1).state(), pb::REFRESH_FAILED);
  EXPECT_EQ(updates.updates(1).reason(), "404");
}

}  // namespace
}  // namespace sluice::manage
