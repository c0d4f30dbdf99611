#include <algorithm>
#include <random>

#include "controlplane/model/covered/ports.h"
#include "controlplane/model/covered/prefixes.h"
#include "tests/unit/controlplane/model/load_support.h"

namespace sluice::model {
namespace {

constexpr const char* kProxies =
    "proxies:\n"
    "  - {name: tcp, type: http, server: 192.0.2.1, port: 1}\n"
    "  - {name: both, type: socks5, server: 192.0.2.1, port: 1, udp: true}\n"
    "proxy-groups:\n"
    "  - {name: maybe, type: select, proxies: [both, PASS]}\n"
    "rules:\n";

/// "2<0 3<1": line 2 is covered by line 0, line 3 by line 1.
std::string covered(const std::vector<std::string>& rules) {
  std::string text = kProxies;
  for (const std::string& rule : rules) text += "  - '" + rule + "'\n";
  const LoadResult result = load_config(text, "f.yaml");
  EXPECT_TRUE(result.config) << said(result);
  std::string out;
  for (const Diagnostic& d : result.diagnostics) {
    const std::size_t at = d.problem.find(" can never match: rules[");
    if (at == std::string::npos) continue;
    const std::size_t by = at + 24;
    out += (out.empty() ? "" : " ") + d.path.substr(6, d.path.find(']') - 6) + "<" +
           d.problem.substr(by, d.problem.find(']', by) - by);
  }
  return out;
}

TEST(Covered, BothPositionsAndLinesAreSaid) {
  EXPECT_EQ(said("rules:\n  - DOMAIN-SUFFIX,b.test,DIRECT\n  - DOMAIN,a.b.test,REJECT\n"),
            "W f.yaml:3:5: rules[1]: \"DOMAIN,a.b.test,REJECT\" can never match: rules[0] on line "
            "2, \"DOMAIN-SUFFIX,b.test,DIRECT\", takes all of it; remove it, or move it above that "
            "line\n");
}

TEST(Covered, Names) {
  EXPECT_EQ(covered({"DOMAIN-SUFFIX,b.test,DIRECT", "DOMAIN,b.test,both", "DOMAIN,a.b.test,both",
                     "DOMAIN-SUFFIX,x.a.b.test,both", "DOMAIN,ab.test,both", "DOMAIN,test,both"}),
            "1<0 2<0 3<0");
  EXPECT_EQ(covered({"DOMAIN,a.test,both", "DOMAIN-SUFFIX,a.test,both", "DOMAIN,A.test.,REJECT",
                     "DOMAIN-SUFFIX,.a.test,REJECT"}),
            "2<0 3<1");
  EXPECT_EQ(covered({"DOMAIN-KEYWORD,abc,both", "DOMAIN,abc.test,both", "DOMAIN-KEYWORD,ABC,both"}),
            "2<0");
}

TEST(Covered, Prefixes) {
  EXPECT_EQ(covered({"IP-CIDR,10.0.0.0/8,both", "IP-CIDR,10.1.0.0/16,both",
                     "IP-CIDR,10.0.0.0/7,both", "IP-CIDR,11.0.0.0/8,both",
                     "IP-CIDR6,2001:db8::/32,both", "IP-CIDR,2001:db8:1::/48,both"}),
            "1<0 3<2 5<4");
  // The sides are two things.
  EXPECT_EQ(covered({"SRC-IP-CIDR,10.0.0.0/8,both", "IP-CIDR,10.0.0.0/8,both",
                     "IP-CIDR,10.0.0.1/32,both,src"}),
            "2<0");
}

// An address line with no-resolve passes over a flow known by its name. A later one may meet it.
TEST(Covered, NoResolveCoversOnlyWhatMeetsTheSameFlows) {
  EXPECT_EQ(covered({"IP-CIDR,10.0.0.0/8,both,no-resolve", "IP-CIDR,10.0.0.0/8,both"}), "");
  EXPECT_EQ(covered({"IP-CIDR,10.0.0.0/8,both", "IP-CIDR,10.0.0.0/9,both,no-resolve"}), "1<0");
  EXPECT_EQ(covered({"IP-CIDR,10.0.0.0/8,both,no-resolve", "IP-CIDR,10.0.0.0/9,both,no-resolve"}),
            "1<0");
  // Between them another line asks, so the last line meets flows that the first did not.
  EXPECT_EQ(covered({"IP-CIDR,10.0.0.0/8,both,no-resolve", "IP-CIDR,192.0.2.0/24,both",
                     "IP-CIDR,10.0.0.0/9,both,no-resolve"}),
            "");
  // Once a line has asked, all below know the same.
  EXPECT_EQ(covered({"IP-CIDR,192.0.2.0/24,both", "IP-CIDR,10.0.0.0/8,both,no-resolve",
                     "IP-CIDR,10.0.0.0/9,both"}),
            "2<1");
}

TEST(Covered, PortsAndTheRest) {
  EXPECT_EQ(covered({"DST-PORT,80/443/8000-8100,both", "DST-PORT,8050/80,both",
                     "DST-PORT,8100-8101,both", "SRC-PORT,80,both", "DST-PORT,8000-8101,both"}),
            "1<0");
  EXPECT_EQ(covered({"DST-PORT,1-10/11-20,both", "DST-PORT,5-15,both"}), "1<0");
  EXPECT_EQ(covered({"NETWORK,udp,both", "NETWORK,tcp,both", "NETWORK,UDP,REJECT"}), "2<0");
  EXPECT_EQ(covered({"IN-TYPE,HTTP/SOCKS,both", "IN-TYPE,http/socks,both"}), "1<0");
}

// A target that can let flows go on takes only a part: nothing is certain.
TEST(Covered, OnlyByTargetsThatTakeEveryFlow) {
  for (const std::string target : {"PASS", "PASS-RULE", "maybe", "tcp", "GLOBAL"}) {
    EXPECT_EQ(covered({"DOMAIN,a.test," + target, "DOMAIN,a.test,DIRECT"}), "") << target;
    EXPECT_EQ(covered({"IP-CIDR,10.0.0.0/8," + target, "IP-CIDR,10.0.0.0/8,DIRECT"}), "") << target;
    EXPECT_EQ(covered({"DST-PORT,1," + target, "DST-PORT,1,DIRECT"}), "") << target;
    EXPECT_EQ(covered({"NETWORK,tcp," + target, "NETWORK,tcp,DIRECT"}), "") << target;
  }
  EXPECT_EQ(covered({"DOMAIN,a.test,tcp", "DOMAIN,a.test,both", "DOMAIN,a.test,tcp"}), "2<1");
}

TEST(Covered, LinesBehindMatchAreSaidOnceNotEach) {
  EXPECT_EQ(covered({"DOMAIN,a.test,both", "MATCH,DIRECT", "DOMAIN,a.test,both"}), "");
}

TEST(Covered, ListsUnderSubRulesAreLookedAtOnTheirOwn) {
  EXPECT_NE(said("sub-rules:\n"
                 "  s: ['RULE-SET,p,DIRECT', 'GEOIP,cn,DIRECT', 'RULE-SET,p,REJECT', "
                 "'GEOIP,CN,REJECT,no-resolve', 'GEOSITE,x,DIRECT', 'MATCH,PASS', "
                 "'GEOSITE,X,REJECT']\n"
                 "rule-providers: {p: {type: inline, behavior: domain, payload: [a.test]}}\n")
                .find("W f.yaml:2:47: sub-rules.s[2]: \"RULE-SET,p,REJECT\" can never match: "
                      "sub-rules.s[0] on line 2"),
            std::string::npos);
  const std::string out = said(
      "sub-rules: {s: ['GEOIP,cn,DIRECT', 'GEOIP,CN,REJECT,no-resolve', 'MATCH,DIRECT', "
      "'GEOSITE,x,DIRECT']}\n");
  EXPECT_NE(out.find("sub-rules.s[1]: \"GEOIP,CN,REJECT,no-resolve\" can never match"),
            std::string::npos)
      << out;
  EXPECT_NE(out.find("sub-rules.s[3]: this line can never be reached"), std::string::npos) << out;
}

// Against a walk over all pairs.
TEST(Covered, PrefixesFindWhatAPlainWalkFinds) {
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    covered::Prefixes fast;
    std::vector<std::tuple<std::uint32_t, Prefix, bool>> lines;
    for (std::uint32_t i = 0; i < 40; ++i) {
      const auto prefix =
          Prefix::of(IpAddress::v4(random() & 0xf0f00000), 4 * static_cast<unsigned>(random() % 6));
      lines.emplace_back(random() % 2, prefix, random() % 4 != 0);
      fast.add(std::get<0>(lines[i]), prefix, i, std::get<2>(lines[i]));
    }
    std::vector<std::uint32_t> by(lines.size(), UINT32_MAX);
    for (const auto& found : fast.find_all()) by[found.line] = found.by;
    for (std::uint32_t i = 0; i < lines.size(); ++i) {
      std::uint32_t expected = UINT32_MAX;
      for (std::uint32_t j = 0; j < i && expected == UINT32_MAX; ++j) {
        const auto& [group, outer, covers] = lines[j];
        const Prefix& inner = std::get<1>(lines[i]);
        if (covers && group == std::get<0>(lines[i]) && outer.length <= inner.length &&
            outer.contains(inner.base))
          expected = j;
      }
      ASSERT_EQ(by[i], expected) << "round " << round << " line " << i;
    }
  }
}

TEST(Covered, SinglePortRangesFindWhatAPlainWalkFinds) {
  std::mt19937 random(7);
  for (int round = 0; round < 50; ++round) {
    covered::Ports fast;
    std::vector<PortRange> lines;
    for (std::uint32_t i = 0; i < 30; ++i) {
      const auto first = static_cast<std::uint16_t>(random() % 40 + (random() % 3) * 32'750);
      const auto last =
          static_cast<std::uint16_t>(std::min<unsigned>(first + random() % 9, 65'535));
      const PortRange range{first, last};
      const bool expected = std::ranges::any_of(lines, [&](const PortRange& r) {
        return r.first <= range.first && r.last >= range.last;
      });
      const auto found = fast.find({range});
      ASSERT_EQ(found.has_value(), expected) << "round " << round << " line " << i;
      if (found) {
        ASSERT_TRUE(lines[*found].first <= first && lines[*found].last >= last);
      }
      lines.push_back(range);
      fast.add({range}, i);
    }
  }
}

}  // namespace
}  // namespace sluice::model
