// Sets inside rules: what their entries mean, weights, inverses, options of the line.
#include "controlplane/compile/set_refs.h"
#include "tests/unit/controlplane/compile/decider.h"

namespace sluice::compile {
namespace {

using ruleformats::Behavior;
using ruleformats::Format;

constexpr std::string_view kHead =
    "rule-providers:\n"
    "  s: {type: file, behavior: classical, format: text, path: s}\n"
    "  t: {type: file, behavior: domain, format: text, path: t}\n";

std::string rules(std::string_view list) {
  return std::string(kHead) + "rules: [" + std::string(list) + "]\n";
}

TEST(Sets, EachIsAskedOnceWhereItIsNamedFirst) {
  const Decider d(
      rules("'RULE-SET,t,REJECT', 'AND,((RULE-SET,s),(RULE-SET,t)),REJECT', "
            "'RULE-SET,s,REJECT,src', 'GEOSITE,CN@ads,REJECT', 'GEOIP,CN,REJECT'"));
  EXPECT_EQ(d.inputs.asked, (std::vector<SetRef>{{SetKind::provider, "t"},
                                                 {SetKind::provider, "s"},
                                                 {SetKind::geosite, "cn@ads"},
                                                 {SetKind::geoip, "cn"}}));
}

TEST(Sets, OneWithoutContentMatchesNothing) {
  const Decider d(rules("'RULE-SET,t,REJECT', 'NOT,((RULE-SET,t)),REJECT-DROP'"));
  EXPECT_EQ(d.line("to=a.test:1"), 1);
  const Decider geo("rules: ['GEOIP,us,REJECT', 'GEOIP,!us,REJECT']\n");
  EXPECT_EQ(geo.of("to=a.test:1 ip=192.0.2.1"), (Decision{-1, 0, 0}));
}

TEST(Sets, NamesOfEveryKindAndInAnySpelling) {
  const Decider d(rules("'RULE-SET,s,REJECT'"),
                  TextSets().rules("s",
                                   "DOMAIN,exact.test\nDOMAIN-SUFFIX,bücher.test\n"
                                   "DOMAIN-KEYWORD,Tracker\nDOMAIN-WILDCARD,g?.*.test\n"
                                   "DOMAIN-REGEX,^r[0-9]+\\.\n"
                                   "AND,((DOMAIN-SUFFIX,and.test),(NETWORK,udp))\n"
                                   "PROCESS-NAME,curl\n"));
  for (const char* name :
       {"exact.test", "x.xn--bcher-kva.test", "a-tracker.example", "g1.x.y.test", "R12.example"})
    EXPECT_EQ(d.line("to=" + std::string(name) + ":1"), 0) << name;
  EXPECT_EQ(d.line("to=and.test:1 net=udp"), 0);
  EXPECT_EQ(d.line("to=other.test:1 exe=/bin/curl"), 0);
  for (const char* name : {"x.exact.test", "and.test", "g12.x.test", "other.test"})
    EXPECT_EQ(d.line("to=" + std::string(name) + ":1"), -1) << name;
}

TEST(Sets, StarsOfDomainSetsStandForOneLabel) {
  const Decider d(rules("'RULE-SET,t,REJECT'"),
                  TextSets().names("t",
                                   "*.one.test\n+.*.suf.test\n+.a.*.mid.test\nx.*.b.*.test\n"
                                   "+.пример.*.рф\n"));
  for (const char* name :
       {"1.one.test", "1.suf.test", "2.1.suf.test", "a.1.mid.test", "z.y.a.1.mid.test",
        "x.1.b.2.test", "xn--e1afmkfd.1.xn--p1ai", "2.xn--e1afmkfd.1.xn--p1ai"})
    EXPECT_EQ(d.line("to=" + std::string(name) + ":1"), 0) << name;
  for (const char* name : {"2.1.one.test", "one.test", "suf.test", "a.mid.test", "a.1.2.mid.test",
                           "ba.1.mid.test", "x.1.b.2.3.test", "xn--e1afmkfd.xn--p1ai"})
    EXPECT_EQ(d.line("to=" + std::string(name) + ":1"), -1) << name;
}

TEST(Sets, ARegexThatDoesNotCompileLeavesTheRestInUse) {
  class Broken final : public SetInput {
    SetTraits read(const SetRef&, SetEntries& to) override {
      ruleformats::NameEntry entry;
      entry.kind = ruleformats::NameKind::regex;
      entry.text = "(((";
      to.name(entry);
      entry.text = "^good";
      to.name(entry);
      return {};
    }
  } broken;
  TextSets zones;
  const auto loaded = model::load_config("rules: ['GEOSITE,x,REJECT']\n", "f.yaml");
  EXPECT_TRUE(compile(*loaded.config, {broken, zones}));
}

// @@ excepts a name; $important overrules that, and @@…$important everything.
TEST(Sets, TheGreatestWeightDecides) {
  TextSets sets;
  sets.contents[{SetKind::provider, "t"}] = {
      Behavior::domain,
      "||ads.test^\n@@||good.ads.test^\n||bad.good.ads.test^$important\n"
      "@@||fine.bad.good.ads.test^$important\n",
      Format::adguard};
  const std::pair<std::string_view, bool> rows[] = {
      {"ads.test", true},         {"x.ads.test", true},        {"good.ads.test", false},
      {"x.good.ads.test", false}, {"bad.good.ads.test", true}, {"fine.bad.good.ads.test", false},
      {"other.test", false}};
  const Decider d(rules("'RULE-SET,t,REJECT', 'NOT,((RULE-SET,t)),REJECT-DROP'"), sets);
  for (const auto& [name, in] : rows)
    EXPECT_EQ(d.line("to=" + std::string(name) + ":1"), in ? 0 : 1) << name;
  // Lists with exceptions alone hold nothing.
  sets.contents[{SetKind::provider, "t"}].text = "@@||good.ads.test^\n";
  EXPECT_EQ(Decider(rules("'RULE-SET,t,REJECT'"), sets).line("to=good.ads.test:1"), -1);
}

TEST(Sets, AnInverseIsEverythingElseOfItsKind) {
  TextSets sets;
  sets.contents[{SetKind::geoip, "!cn"}] = {Behavior::ipcidr, "198.51.100.0/24\n", Format::text,
                                            true};
  sets.contents[{SetKind::geosite, "!cn"}] = {Behavior::domain, "+.cn.test\n", Format::text, true};
  const Decider ip("rules: ['GEOIP,!cn,REJECT']\n", sets);
  EXPECT_EQ(ip.line("to=198.51.100.1:1"), -1);
  EXPECT_EQ(ip.line("to=192.0.2.1:1"), 0);
  EXPECT_EQ(ip.line("to=[2001:db8::1]:1"), 0);
  EXPECT_EQ(ip.of("to=a.test:1 ip=192.0.2.1"), (Decision{0, 1, 0}));
  EXPECT_EQ(ip.of("to=a.test:1"), (Decision{-1, 1, 0}));  // without an address it is nowhere
  EXPECT_EQ(Decider("rules: ['GEOIP,!cn,REJECT,no-resolve']\n", sets).of("to=a.test:1"),
            (Decision{-1, 0, 0}));
  const Decider source("rules: ['SRC-GEOIP,!cn,REJECT']\n", sets);
  EXPECT_EQ(source.line("src=198.51.100.1:1"), -1);
  EXPECT_EQ(source.line("src=192.0.2.1:1"), 0);
  const Decider names("rules: ['GEOSITE,!cn,REJECT']\n", sets);
  EXPECT_EQ(names.line("to=x.cn.test:1"), -1);
  EXPECT_EQ(names.line("to=other.test:1"), 0);
  EXPECT_EQ(names.line("to=192.0.2.1:1"), -1);  // no name: neither in it nor in the rest
}

TEST(Sets, LinesOfAClassicalSetMayNameGeoSets) {
  TextSets sets;
  sets.rules("s", "GEOSITE,cn\nAND,((GEOIP,cn),(NETWORK,udp))\nDST-PORT,9\nGEOIP,lan,no-resolve\n");
  sets.contents[{SetKind::geosite, "cn"}] = {Behavior::domain, "+.cn.test\n"};
  sets.contents[{SetKind::geoip, "cn"}] = {Behavior::ipcidr, "198.51.100.0/24\n"};
  const Decider d(rules("'RULE-SET,s,REJECT'"), sets);
  EXPECT_EQ(d.line("to=x.cn.test:1"), 0);
  EXPECT_EQ(d.line("to=198.51.100.1:1 net=udp"), 0);
  EXPECT_EQ(d.line("to=198.51.100.1:1"), -1);
  EXPECT_EQ(d.line("to=10.0.0.1:1"), 0);
  EXPECT_EQ(d.line("to=192.0.2.1:9"), 0);
  EXPECT_EQ(d.of("to=a.test:1 net=udp ip=198.51.100.1"), (Decision{0, 1, 0}));
  EXPECT_EQ(d.inputs.asked,
            (std::vector<SetRef>{
                {SetKind::provider, "s"}, {SetKind::geosite, "cn"}, {SetKind::geoip, "cn"}}));
  const Decider quiet(rules("'RULE-SET,s,REJECT,no-resolve'"), sets);
  EXPECT_EQ(quiet.of("to=a.test:1 net=udp ip=198.51.100.1"), (Decision{-1, 0, 0}));
  const Decider source(rules("'RULE-SET,s,REJECT,src'"), sets);
  EXPECT_EQ(source.line("to=a.test:1 net=udp src=198.51.100.1:1"), 0);
  EXPECT_EQ(source.line("to=198.51.100.1:9 net=udp src=192.0.2.1:1"), -1);
  EXPECT_EQ(source.line("to=198.51.100.1:1 src=192.0.2.1:9"), 0);
}

TEST(Sets, OneSetServesBothSides) {
  const Decider d(rules("'RULE-SET,t,REJECT', 'RULE-SET,t,REJECT-DROP,src'"),
                  TextSets().ranges("t", "192.0.2.0/24\n2001:db8::/32\n"));
  EXPECT_EQ(d.line("to=192.0.2.1:1"), 0);
  EXPECT_EQ(d.line("to=a.test:1 src=[2001:db8::5]:1"), 1);
  EXPECT_EQ(d.line("to=203.0.113.1:1 src=203.0.113.2:1"), -1);
  EXPECT_EQ(d.inputs.asked.size(), 1U);
}

TEST(Sets, TheSetsOfAConfigurationAreKnownBeforehand) {
  const auto loaded = model::load_config(
      std::string(kHead) +
          "sub-rules:\n"
          "  used: ['GEOSITE,Google,DIRECT', 'RULE-SET,t,REJECT']\n"
          "  unused: ['GEOIP,us,DIRECT']\n"
          "rules: ['RULE-SET,t,REJECT', 'NOT,((OR,((GEOIP,!cn),(IP-ASN,13335)))),REJECT', "
          "'GEOIP,lan,DIRECT', 'SUB-RULE,(GEOSITE,cn@ads),used']\n",
      "f.yaml");
  ASSERT_TRUE(loaded.config);
  EXPECT_EQ(sets_of(*loaded.config), (std::vector<SetRef>{{SetKind::provider, "t"},
                                                          {SetKind::geosite, "cn@ads"},
                                                          {SetKind::geosite, "google"},
                                                          {SetKind::geoip, "!cn"},
                                                          {SetKind::asn, "13335"}}));
}

// One for each provider, whatever its number of such entries; geo files are not a user's to mend.
TEST(Sets, APatternThatOnlyPcre2CanRunIsNotedOncePerProvider) {
  const auto sets =
      TextSets()
          .rules("slow", "DOMAIN-REGEX,^plain\nDOMAIN-REGEX,^(?!a)b\nDOMAIN-REGEX,^(?!c)d\n")
          .rules("fast", "DOMAIN-REGEX,^plain\nDOMAIN,a.test\n");
  const Decider d(
      "rule-providers:\n"
      "  slow: {type: inline, behavior: classical, payload: [x]}\n"
      "  fast: {type: inline, behavior: classical, payload: [x]}\n"
      "rules: ['RULE-SET,slow,REJECT', 'RULE-SET,fast,REJECT', 'RULE-SET,slow,DIRECT']\n",
      sets);
  const auto& found = d.compiled.slow_patterns;
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].set.name, "slow");
  EXPECT_EQ(found[0].pattern, "^(?!a)b");
}

}  // namespace
}  // namespace sluice::compile
