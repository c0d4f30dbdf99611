#include "ui/cli/show_rules.h"

#include <gtest/gtest.h>

namespace sluice::cli {
namespace {

constexpr std::int64_t kNow_ms = 1'700'000'600'000;

pb::Rule rule(const char* list, std::uint32_t number, const char* type, const char* payload,
              const char* target, std::uint64_t hits) {
  pb::Rule out;
  out.set_list(list);
  out.set_number(number);
  out.set_type(type);
  out.set_payload(payload);
  out.set_target(target);
  out.set_place("c.yaml:" + std::to_string(10 + number) + ":5");
  out.set_hits(hits);
  if (hits > 0) out.set_hit_wall_ms(kNow_ms - 60'000);
  return out;
}

pb::RuleTable sample() {
  pb::RuleTable table;
  *table.add_rules() = rule("", 0, "DomainSuffix", "a.test", "Out", 5);
  *table.add_rules() = rule("", 2, "SubRules", "(DST-PORT,443)", "ads", 0);
  *table.add_rules() = rule("", 3, "Match", "", "DIRECT", 90);
  *table.add_rules() = rule("ads", 0, "DomainKeyword", "ad", "REJECT", 7);
  table.mutable_rules(3)->set_disabled(true);
  table.mutable_rules(0)->set_misses(90);
  table.mutable_rules(0)->set_miss_wall_ms(kNow_ms - 1'000);
  table.set_unmatched(2);
  table.set_since_wall_ms(kNow_ms - 600'000);
  return table;
}

TEST(ShowRules, JsonHasTheDashboardsForm) {
  pb::RuleTable table = sample();
  table.mutable_rules()->DeleteSubrange(1, 3);
  EXPECT_EQ(rules_json(table),
            R"({"rules":[{"index":0,"list":"","type":"DomainSuffix","payload":"a.test",)"
            R"("proxy":"Out","place":"c.yaml:10:5","extra":{"disabled":false,"hitCount":5,)"
            R"("hitAt":"2023-11-14T22:22:20.000Z","missCount":90,)"
            R"("missAt":"2023-11-14T22:23:19.000Z"}}],"unmatched":2,)"
            R"("since":"2023-11-14T22:13:20.000Z","changedAt":""})"
            "\n");
  EXPECT_EQ(rules_json({}), "{\"rules\":[],\"unmatched\":0,\"since\":\"\",\"changedAt\":\"\"}\n");
}

TEST(ShowRules, TextIsATableWithNamesToCopy) {
  EXPECT_EQ(rules_text(sample(), false, {0, kNow_ms}),
            " LINE  STATE  RULE                     TARGET  PLACE\n"
            "    0         DOMAIN-SUFFIX,a.test     Out     c.yaml:10:5\n"
            "    2         SUB-RULE,(DST-PORT,443)  ads     c.yaml:12:5\n"
            "    3         MATCH                    DIRECT  c.yaml:13:5\n"
            "ads/0  off    DOMAIN-KEYWORD,ad        REJECT  c.yaml:10:5\n");
  pb::RuleTable table = sample();
  table.mutable_rules()->DeleteSubrange(1, 3);
  EXPECT_EQ(rules_text(table, true, {0, kNow_ms}),
            "LINE  RULE                  TARGET  HITS   LAST HIT  MISSES  PLACE\n"
            "   0  DOMAIN-SUFFIX,a.test  Out        5  1m00s ago      90  c.yaml:10:5\n");
  EXPECT_EQ(rules_text({}, true, {0, kNow_ms}), "");
}

TEST(ShowRules, SummariesCount) {
  EXPECT_EQ(rules_summary(sample(), {0, kNow_ms}),
            "4 lines, 1 of them disabled; 2 flows met none of `rules` in 10m00s\n");
  pb::RuleTable table = sample();
  keep_unused(table);
  ASSERT_EQ(table.rules_size(), 1);
  EXPECT_EQ(table.rules(0).number(), 2u);
  EXPECT_EQ(unused_summary(table, 4, {0, kNow_ms}), "1 of 4 lines decided no flow in 10m00s\n");
  table.set_changed_wall_ms(kNow_ms - 3'000);
  EXPECT_EQ(
      unused_summary(table, 4, {0, kNow_ms}),
      "1 of 4 lines decided no flow in 10m00s; lines that came with the last change have been "
      "there for 3s\n");
}

TEST(ShowRules, TheTopIsTheBusiestLinesInOrder) {
  pb::RuleTable table = sample();
  keep_top(table, 2);
  ASSERT_EQ(table.rules_size(), 2);
  EXPECT_EQ(table.rules(0).hits(), 90u);
  EXPECT_EQ(table.rules(1).hits(), 7u);
  table = sample();
  keep_top(table, 100);
  EXPECT_EQ(table.rules_size(), 3) << "what decided nothing is no top";
}

TEST(ShowRules, OneListIsKept) {
  pb::RuleTable table = sample();
  EXPECT_TRUE(keep_list(table, "ads"));
  EXPECT_EQ(table.rules_size(), 1);
  table = sample();
  EXPECT_TRUE(keep_list(table, kListProper));
  EXPECT_EQ(table.rules_size(), 3);
  table = sample();
  EXPECT_FALSE(keep_list(table, "adds"));
  table.Clear();
  EXPECT_TRUE(keep_list(table, kListProper)) << "an empty list is there";
}

TEST(ShowRules, WhatWasSwitchedIsSaid) {
  EXPECT_EQ(switched_text({{"", 1}}, true), "1 is disabled until the router is restarted\n");
  EXPECT_EQ(switched_text({{"", 1}, {"ads", 2}, {"a\x1b", 3}}, false),
            "1, ads/2 and a?/3 are enabled\n");
  EXPECT_EQ(switched_json({{"ads", 2}}, true),
            "{\"rules\":[{\"index\":2,\"list\":\"ads\",\"disabled\":true}]}\n");
}

pb::RuleProviderTable providers() {
  pb::RuleProviderTable table;
  pb::RuleProvider& ads = *table.add_providers();
  ads.set_name("ads");
  ads.set_format(pb::RULE_FORMAT_MRS);
  ads.set_in_force(true);
  ads.set_entries(1200);
  ads.set_refused(3);
  ads.set_changed_wall_ms(kNow_ms - 3'600'000);
  ads.set_checked_wall_ms(kNow_ms - 60'000);
  ads.set_next_wall_ms(kNow_ms + 120'000);
  ads.set_digest("0123456789abcdef");
  pb::RuleProvider& lan = *table.add_providers();
  lan.set_name("lan");
  lan.set_kind(pb::PROVIDER_FILE);
  lan.set_behavior(pb::RULE_BEHAVIOR_CLASSICAL);
  lan.set_format(pb::RULE_FORMAT_TEXT);
  lan.set_refreshing(true);
  lan.set_fault("no such file");
  return table;
}

TEST(ShowRules, ProvidersAreATableWithTheirFaultsBelow) {
  EXPECT_EQ(providers_text(providers(), {0, kNow_ms}),
            "PROVIDER  TYPE  BEHAVIOR   FORMAT           ENTRIES    CHANGED    CHECKED      NEXT"
            "  DIGEST\n"
            "ads       http  domain     mrs     1200 (3 refused)  1h00m ago  1m00s ago  in 2m00s"
            "  01234567\n"
            "lan       file  classical  text            none yet      never      never       now\n"
            "\n"
            "lan: no such file\n");
  EXPECT_EQ(providers_text({}, {0, 0}), "the configuration has no rule providers\n");
}

TEST(ShowRules, ProvidersJsonHasTheDashboardsForm) {
  pb::RuleProviderTable table = providers();
  EXPECT_NE(providers_json(table).find(
                R"("lan":{"name":"lan","type":"Rule","vehicleType":"File",)"
                R"("behavior":"Classical","format":"TextRule","ruleCount":0,"updatedAt":"",)"
                R"("checkedAt":"","nextAt":"","inForce":false,"refused":0,"refreshing":true,)"
                R"("fault":"no such file","digest":""})"),
            std::string::npos)
      << providers_json(table);
  EXPECT_TRUE(providers_json(table).starts_with(
      R"({"providers":{"ads":{"name":"ads","type":"Rule","vehicleType":"HTTP",)"
      R"("behavior":"Domain","format":"MrsRule","ruleCount":1200,)"));
}

}  // namespace
}  // namespace sluice::cli
