// SUB-RULE: lists that stand where they are named, numbered behind the list proper.
#include "controlplane/compile/legend.h"
#include "tests/unit/controlplane/compile/decider.h"

namespace sluice::compile {
namespace {

/// "1 s DstPort" per line of the manifest.
std::vector<std::string> shown(const contract::Manifest& m) {
  std::vector<std::string> out;
  for (const contract::RuleLine& line : m.rules)
    out.push_back(std::to_string(line.number) + " " + line.list + " " + line.type);
  return out;
}

constexpr std::string_view kNested = R"(
sub-rules:
  unused: ['MATCH,REJECT']
  outer:
    - IN-TYPE,TUN,DIRECT
    - DOMAIN,direct.test,DIRECT
    - SUB-RULE,(DST-PORT,80/81),inner
    - DOMAIN-SUFFIX,outer.test,REJECT
  inner:
    - DOMAIN-SUFFIX,pass.test,PASS
    - DOMAIN-SUFFIX,inner.test,REJECT-DROP
rules:
  - SUB-RULE,(NETWORK,tcp),outer
  - DOMAIN-SUFFIX,test,COMPATIBLE
  - SUB-RULE,(DST-PORT,82),inner
  - MATCH,GLOBAL
)";

// Lines: 0..3 the list proper, 4..6 outer (one that matches nothing is left out), 7..8 inner.
TEST(SubRules, LinesOfUsedListsStandBehindTheListProperEachOnce) {
  const Decider d(kNested);
  EXPECT_EQ(shown(d.manifest()),
            (std::vector<std::string>{"0  SubRules", "1  DomainSuffix", "2  SubRules", "3  Match",
                                      "1 outer Domain", "2 outer SubRules", "3 outer DomainSuffix",
                                      "0 inner DomainSuffix", "1 inner DomainSuffix"}));
  EXPECT_EQ(d.manifest().rules[0].payload, "(NETWORK,tcp)");
  EXPECT_EQ(d.manifest().outbounds[d.manifest().rules[0].outbound].name, "PASS");
}

TEST(SubRules, ALineOfTheListDecidesUnderItsGuards) {
  const Decider d(kNested);
  EXPECT_EQ(d.line("to=direct.test:1"), 4);
  EXPECT_EQ(d.line("to=x.outer.test:1"), 6);
  EXPECT_EQ(d.line("to=x.inner.test:80"), 8);
  // The guard does not hold.
  EXPECT_EQ(d.line("to=direct.test:1 net=udp"), 1);
  EXPECT_EQ(d.line("to=x.inner.test:1"), 1);
}

TEST(SubRules, WhenNothingInItMatchesTheNextLineIsTried) {
  const Decider d(kNested);
  EXPECT_EQ(d.line("to=other.test:1"), 1);
  EXPECT_EQ(d.line("to=other.example:80"), 3);
  // Nothing in the inner list: the outer one goes on.
  EXPECT_EQ(d.line("to=x.outer.test:80"), 6);
}

TEST(SubRules, PassLeavesTheWholeGroup) {
  const Decider d(
      "sub-rules:\n"
      "  outer: ['SUB-RULE,(DST-PORT,80),inner', 'MATCH,REJECT']\n"
      "  inner: ['DOMAIN,pass.test,PASS', 'DOMAIN,stay.test,PASS-RULE']\n"
      "rules: ['SUB-RULE,(NETWORK,tcp),outer', 'MATCH,DIRECT']\n");
  EXPECT_EQ(d.line("to=pass.test:80"), 1);
  EXPECT_EQ(d.line("to=pass.test:81"), 3);
}

TEST(SubRules, PassRuleGoesOnWithTheNextLineOfTheSameList) {
  const Decider d(
      "sub-rules:\n"
      "  outer: ['SUB-RULE,(DST-PORT,80),inner', 'DOMAIN-SUFFIX,stay.test,REJECT']\n"
      "  inner: ['DOMAIN,a.stay.test,PASS-RULE', 'DOMAIN,b.stay.test,PASS-RULE', "
      "'DOMAIN,b.stay.test,REJECT-DROP']\n"
      "rules: ['DOMAIN,c.stay.test,PASS-RULE', 'SUB-RULE,(NETWORK,tcp),outer', 'MATCH,DIRECT']\n");
  EXPECT_EQ(d.line("to=a.stay.test:80"), 4);
  EXPECT_EQ(d.line("to=b.stay.test:80"), 7);
  EXPECT_EQ(d.line("to=c.stay.test:80 net=udp"), 2);
}

TEST(SubRules, OneListInTwoGroupsKeepsItsNumbers) {
  const Decider d(
      "sub-rules: {s: ['DOMAIN,a.test,REJECT', 'DOMAIN-SUFFIX,b.test,REJECT-DROP']}\n"
      "rules: ['SUB-RULE,(DST-PORT,1),s', 'DOMAIN,x.b.test,DIRECT', 'SUB-RULE,(DST-PORT,2),s']\n");
  ASSERT_EQ(d.manifest().rules.size(), 5U);
  EXPECT_EQ(d.line("to=a.test:1"), 3);
  EXPECT_EQ(d.line("to=a.test:2"), 3);
  EXPECT_EQ(d.line("to=x.b.test:1"), 4);
  EXPECT_EQ(d.line("to=x.b.test:2"), 1);
  EXPECT_EQ(d.line("to=y.b.test:2"), 4);
  EXPECT_EQ(d.line("to=a.test:3"), -1);
}

TEST(SubRules, EmptyListsAndListsOfListsKeepTheCountRight) {
  const Decider d(
      "sub-rules:\n  empty: []\n  last: ['SUB-RULE,(DST-PORT,1),empty']\n"
      "rules: ['SUB-RULE,(NETWORK,tcp),empty', 'SUB-RULE,(NETWORK,tcp),last']\n");
  ASSERT_EQ(d.manifest().rules.size(), 3U);
  EXPECT_EQ(d.line("to=a.test:1"), -1);
}

TEST(SubRules, SetsInGuardsAndListsAreAskedOnce) {
  TextSets sets;
  sets.names("t", "+.t.test\n");
  const Decider d(
      "rule-providers: {t: {type: file, behavior: domain, format: text, path: t}}\n"
      "sub-rules: {s: ['NOT,((RULE-SET,t)),REJECT', 'MATCH,REJECT-DROP']}\n"
      "rules: ['SUB-RULE,(RULE-SET,t),s', 'SUB-RULE,(DST-PORT,1),s']\n",
      sets);
  EXPECT_EQ(d.inputs.asked.size(), 1U);
  EXPECT_EQ(d.line("to=x.t.test:2"), 3);
  EXPECT_EQ(d.line("to=a.test:1"), 2);
  EXPECT_EQ(d.line("to=a.test:2"), -1);
}

TEST(SubRules, AListOfAListenerIsAnEntryOfTheBlock) {
  const Decider d(
      "listeners:\n"
      "  - {name: plain, type: http, port: 1}\n"
      "  - {name: guests, type: http, port: 2, rule: second}\n"
      "  - {name: more, type: http, port: 3, rule: first}\n"
      "  - {name: same, type: http, port: 4, rule: second}\n"
      "sub-rules:\n"
      "  unused: ['MATCH,REJECT']\n"
      "  first: ['DOMAIN,f.test,REJECT']\n"
      "  second: ['DOMAIN,s.test,REJECT']\n"
      "rules: ['MATCH,DIRECT']\n");
  const auto& listeners = d.manifest().listeners;
  ASSERT_EQ(listeners.size(), 4U);
  EXPECT_FALSE(listeners[0].rule_entry);
  EXPECT_EQ(listeners[1].rule_entry, 2U);
  EXPECT_EQ(listeners[2].rule_entry, 1U);
  EXPECT_EQ(listeners[3].rule_entry, 2U);
  EXPECT_EQ(shown(d.manifest()),
            (std::vector<std::string>{"0  Match", "0 first Domain", "0 second Domain"}));
  EXPECT_EQ(d.line("to=s.test:1 entry=0"), 0);
  EXPECT_EQ(d.line("to=s.test:1 entry=2"), 2);
  EXPECT_EQ(d.line("to=s.test:1 entry=1"), -1);
}

// A rematch walks the list proper again, or another list in its place.
TEST(SubRules, AListOfARematchIsAnEntryOfTheBlock) {
  const Decider d(
      "proxies:\n"
      "  - {name: A, type: rematch, target-rematch-name: again}\n"
      "  - {name: L, type: rematch, target-sub-rule: other, target-rematch-name: there}\n"
      "  - {name: K, type: rematch, target-sub-rule: other}\n"
      "  - {name: E, type: rematch, target-sub-rule: other, target-rematch-name: \"\"}\n"
      "sub-rules:\n"
      "  inner: ['DST-PORT,81,REJECT']\n"
      "  other: ['REMATCH-NAME,there,REJECT-DROP', 'SUB-RULE,(NETWORK,tcp),inner']\n"
      "rules:\n"
      "  - REMATCH-NAME,again,REJECT\n"
      "  - DOMAIN,a.test,A\n"
      "  - DOMAIN,l.test,L\n"
      "  - DOMAIN,k.test,K\n"
      "  - MATCH,REJECT\n");
  const auto& outbounds = d.manifest().outbounds;
  const auto find = [&](std::string_view name) {
    return *std::ranges::find(outbounds, name, &contract::Outbound::name);
  };
  EXPECT_EQ(find("A").kind, contract::OutboundKind::rematch);
  EXPECT_EQ(find("A").rematch_name, "again");
  EXPECT_FALSE(find("A").rematch_entry);
  EXPECT_EQ(find("L").rematch_entry, 1U);
  EXPECT_EQ(find("L").rematch_name, "there");
  EXPECT_FALSE(find("K").rematch_name);
  EXPECT_EQ(find("E").rematch_name, "");     // takes away what was there
  ASSERT_EQ(d.manifest().rules.size(), 8U);  // inner is line 5, other 6 and 7
  EXPECT_EQ(d.line("to=a.test:1"), 0);
  EXPECT_EQ(d.line("to=l.test:1"), 6);
  EXPECT_EQ(d.line("to=k.test:81"), 5);
  EXPECT_EQ(d.line("to=k.test:82"), -1);  // the list ends, and with it the walk
}

TEST(SubRules, TheLegendKnowsTheirPlaces) {
  const auto loaded = model::load_config(kNested, "f.yaml");
  ASSERT_TRUE(loaded.config);
  const Legend legend = make_legend(*loaded.config, "f.yaml");
  EXPECT_EQ(legend.rule(3), (model::Position{16, 5}));
  EXPECT_EQ(legend.rule(1, "outer"), (model::Position{6, 7}));
  EXPECT_EQ(legend.rule(1, "inner"), (model::Position{11, 7}));
  EXPECT_FALSE(legend.rule(0, "outer"));  // it matches nothing and is not in the list
  EXPECT_FALSE(legend.rule(0, "unused"));
  EXPECT_FALSE(legend.rule(-1, "inner"));
  const model::Place place = legend.place_of("rules[6].payload");
  EXPECT_EQ(place.path, "sub-rules.outer[3]");
  EXPECT_EQ(place.at, (model::Position{8, 7}));
  EXPECT_EQ(legend.place_of("rules[3].outbound").path, "rules[3]");
}

}  // namespace
}  // namespace sluice::compile
