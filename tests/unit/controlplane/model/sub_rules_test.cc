#include "tests/unit/controlplane/model/load_support.h"

namespace sluice::model {
namespace {

/// What is said beside warnings.
std::string faults(const std::string& text) {
  std::string out;
  std::istringstream lines(said(text));
  for (std::string line; std::getline(lines, line);)
    if (!line.starts_with("W ")) out += line + "\n";
  return out;
}

TEST(LoadSubRules, ListsKeepTheirOrderAndNames) {
  const Config config = loaded(
      "sub-rules:\n"
      "  first: ['DOMAIN,a.test,DIRECT', 'SUB-RULE,(NETWORK,udp),second', 'MATCH,PASS']\n"
      "  second: ['IP-CIDR,192.0.2.0/24,PASS-RULE', 'DST-PORT,80,REJECT']\n"
      "  empty:\n"
      "rules: ['SUB-RULE,(DST-PORT,9),first', 'MATCH,DIRECT']\n");
  ASSERT_EQ(config.sub_rules.size(), 3U);
  EXPECT_EQ(config.sub_rules[0].name, "first");
  ASSERT_EQ(config.sub_rules[0].rules.size(), 3U);
  EXPECT_TRUE(config.sub_rules[0].rules[1].sub_rule);
  EXPECT_EQ(config.sub_rules[0].rules[1].target, "second");
  EXPECT_EQ(config.sub_rules[1].rules[0].target, "PASS-RULE");
  EXPECT_TRUE(config.sub_rules[2].rules.empty());
}

TEST(LoadSubRules, FaultsAreSaidWithListAndLine) {
  EXPECT_EQ(
      faults("sub-rules:\n  a.b:\n    - DOMAIN,x.test,Nowhere\n    - MATCH\n"),
      "E f.yaml:3:7: sub-rules[\"a.b\"][0]: rule target \"Nowhere\" does not exist; add it to "
      "proxies or proxy-groups, or correct the name\n"
      "E f.yaml:4:7: sub-rules[\"a.b\"][1]: \"MATCH\": is not complete; write MATCH,target\n");
  EXPECT_EQ(faults("sub-rules: {a: 'MATCH,DIRECT'}\n"),
            "E f.yaml:1:16: sub-rules.a: is text, a list is needed; write one `- "
            "TYPE,payload,target` per line\n");
}

TEST(LoadSubRules, AnUnknownListIsAnErrorWithTheNearest) {
  EXPECT_EQ(faults("sub-rules: {guarded: ['MATCH,DIRECT']}\n"
                   "rules: ['SUB-RULE,(DST-PORT,9),gaurded', 'MATCH,DIRECT']\n"),
            "E f.yaml:2:9: rules[0]: sub-rule list \"gaurded\" does not exist; did you mean "
            "`guarded`?\n");
}

TEST(LoadSubRules, CirclesAreRefusedWithThePath) {
  EXPECT_EQ(faults("sub-rules:\n"
                   "  a: ['SUB-RULE,(NETWORK,tcp),b']\n"
                   "  b: ['SUB-RULE,(NETWORK,tcp),c']\n"
                   "  c: ['DST-PORT,1,DIRECT', 'SUB-RULE,(NETWORK,tcp),b']\n"),
            "E f.yaml:4:28: sub-rules.c[1]: sub-rule lists go in a circle: b -> c -> b; take one "
            "of them out of the other\n");
  EXPECT_NE(faults("sub-rules: {a: ['SUB-RULE,(NETWORK,tcp),a']}\n").find("circle: a -> a;"),
            std::string::npos);
}

/// Lists l0 .. l(n-1), each naming the next `twice` times.
std::string chain(int count, int times) {
  std::string text = "sub-rules:\n";
  for (int i = 0; i < count; ++i) {
    text += "  l" + std::to_string(i) + ": [";
    for (int k = 0; k < times && i + 1 < count; ++k)
      text += "'SUB-RULE,(NETWORK,tcp),l" + std::to_string(i + 1) + "', ";
    text += "'DST-PORT,1,DIRECT']\n";
  }
  return text + "rules: ['SUB-RULE,(NETWORK,tcp),l0']\n";
}

TEST(LoadSubRules, DepthAndExpansionAreBounded) {
  EXPECT_EQ(faults(chain(16, 1)), "");
  EXPECT_NE(faults(chain(17, 1)).find("rules[0]: sub-rule lists are nested deeper than 16"),
            std::string::npos);
  // 2^16 lines are fine; 4^11 are not, though the file is short.
  EXPECT_EQ(faults(chain(16, 2)).find("E "), std::string::npos);
  EXPECT_NE(faults(chain(11, 4)).find("there are more than 1000000 lines"), std::string::npos);
  EXPECT_NE(faults(chain(3000, 1)).find("nested deeper"), std::string::npos);
}

TEST(LoadSubRules, WhatOnlyARematchProxyNamesIsBoundedToo) {
  const auto named = [](int count, int times) {
    std::string text = chain(count, times);
    text.erase(text.find("rules: ['SUB"));  // of the list proper
    return text + "proxies: [{name: R, type: rematch, target-sub-rule: l0}]\n";
  };
  EXPECT_EQ(faults(named(16, 1)), "");
  EXPECT_NE(faults(named(17, 1)).find("proxies[0].target-sub-rule: sub-rule lists are nested"),
            std::string::npos);
  EXPECT_NE(faults(named(11, 4)).find("there are more than 1000000 lines"), std::string::npos);
}

TEST(LoadSubRules, ARematchProxyMayNameAList) {
  const std::string head = "sub-rules: {again: ['REMATCH-NAME,two,REJECT']}\n";
  const Config config = loaded(
      head +
      "proxies: [{name: R, type: rematch, target-rematch-name: two, target-sub-rule: again}]\n");
  ASSERT_TRUE(config.proxies[0].rematch);
  EXPECT_EQ(config.proxies[0].kind, contract::OutboundKind::rematch);
  EXPECT_TRUE(config.proxies[0].udp);
  EXPECT_EQ(config.proxies[0].rematch->name, "two");
  EXPECT_EQ(config.proxies[0].rematch->sub_rule, "again");
  EXPECT_EQ(
      faults(head + "proxies: [{name: R, type: rematch, target-sub-rule: agian}]\n"),
      "E f.yaml:2:53: proxies[0].target-sub-rule: sub-rule list \"agian\" does not exist; did "
      "you mean `again`?\n");
}

}  // namespace
}  // namespace sluice::model
