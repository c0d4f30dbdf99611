// Cases of rules that go wrong elsewhere, by their ids: their files, compiled and decided.
#include <fstream>

#include "tests/unit/controlplane/compile/decider.h"

namespace sluice::compile {
namespace {

std::string file(const std::string& name) {
  std::ifstream in(std::string(SLUICE_GOLDEN_DIR) + "/cases/" + name, std::ios::binary);
  EXPECT_TRUE(in) << name;
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

std::string target(const Decider& d, std::string_view flow) {
  const std::int32_t line = d.line(flow);
  if (line < 0) return "DIRECT";
  const contract::Manifest& m = d.manifest();
  return m.outbounds[m.rules[static_cast<std::size_t>(line)].outbound].name;
}

TEST(RuleCases, B023_CommasInsideAPatternBelongToIt) {
  const Decider d(file("B023.yaml"));
  EXPECT_EQ(target(d, "to=a1.rx.test:80"), "REJECT");
  EXPECT_EQ(target(d, "to=-bad.rx.test:80"), "DIRECT");
  EXPECT_EQ(target(d, "to=bad-.rx.test:80"), "DIRECT");
}

TEST(RuleCases, B025_AGuardThatDoesNotHoldAsksForNothing) {
  const Decider d(file("B025.yaml"));
  EXPECT_EQ(d.of("to=nolookup.test:80 ip=192.0.2.1"), (Decision{1, 0, 0}));
  EXPECT_EQ(d.of("to=nolookup.test:9 ip=192.0.2.1"), (Decision{3, 1, 0}));
  EXPECT_EQ(d.of("to=nolookup.test:9 ip=198.51.100.1"), (Decision{1, 1, 0}));
}

TEST(RuleCases, B026_AClassicalSetAsksOnlyWhenItsAddressLineIsReached) {
  TextSets sets;
  sets.rules("C", file("B026.list"));
  const std::string yaml = file("B026.yaml");
  const Decider d(yaml, sets);
  EXPECT_EQ(d.of("to=early.test:80 ip=203.0.113.1"), (Decision{0, 0, 0}));
  EXPECT_EQ(d.of("to=also.test:80 ip=203.0.113.1"), (Decision{0, 0, 0}));
  EXPECT_EQ(d.of("to=late.test:80 ip=192.0.2.1"), (Decision{0, 1, 0}));
  EXPECT_EQ(d.of("to=late.test:80 ip=203.0.113.1"), (Decision{1, 1, 0}));
  std::string quiet = yaml;
  quiet.replace(quiet.find("C,REJECT"), 8, "C,REJECT,no-resolve");
  EXPECT_EQ(Decider(quiet, sets).of("to=late.test:80 ip=192.0.2.1"), (Decision{1, 0, 0}));
}

TEST(RuleCases, B028_ARangeOfMappedAddressesTakesNoIPv4) {
  const Decider d(file("B028.yaml"));
  EXPECT_EQ(target(d, "to=127.0.0.1:18080"), "DIRECT");
  EXPECT_EQ(target(d, "to=[::ffff:127.0.0.1]:18080"), "DIRECT");
}

TEST(RuleCases, B029_MappedAddressesAreIPv4OnBothSides) {
  const Decider d(file("B029.yaml"));
  EXPECT_EQ(d.line("to=[::ffff:192.0.2.1]:80"), 0);
  EXPECT_EQ(d.line("to=198.51.100.1:18081 src=[::ffff:127.0.0.1]:4000"), 1);
  EXPECT_EQ(d.line("to=198.51.100.1:18081 src=192.0.2.9:4000"), 2);
}

TEST(RuleCases, B031_NamesAreComparedAsALabelsInAnyCase) {
  const Decider d(file("B031.yaml"));
  for (const char* name : {"xn--bcher-kva.test", "XN--BCHER-KVA.test", "www.xn--bcher-kva.test",
                           "www.plain.test", "WWW.Plain.Test", "www.plain.test."})
    EXPECT_EQ(target(d, "to=" + std::string(name) + ":80"), "REJECT") << name;
  EXPECT_EQ(target(d, "to=plain.test:80"), "DIRECT");
}

// kind, pattern, host, whether it matches: the case's truth table.
TEST(RuleCases, B032_StarsInSetsAndInWildcardRules) {
  TextSets sets;
  sets.names("L", file("B032.list"));
  const std::string provider =
      "rule-providers: {L: {type: file, behavior: domain, format: text, path: a}}\n";
  const Decider all(provider + "rules: ['RULE-SET,L,REJECT']\n", sets);
  std::istringstream rows(file("B032.tsv"));
  std::string kind, pattern, host, matches;
  std::getline(rows, kind);  // the heading
  int count = 0;
  while (rows >> kind >> pattern >> host >> matches) {
    SCOPED_TRACE(pattern + " " + host);
    const std::string expected = matches == "yes" ? "REJECT" : "DIRECT";
    const std::string flow = "to=" + host + ":80";
    if (kind == "set") {
      TextSets one;
      one.names("L", pattern + "\n");
      EXPECT_EQ(target(Decider(provider + "rules: ['RULE-SET,L,REJECT']\n", one), flow), expected);
      EXPECT_EQ(target(all, flow), expected);
    } else {
      EXPECT_EQ(target(Decider("rules: ['DOMAIN-WILDCARD," + pattern + ",REJECT']\n"), flow),
                expected);
    }
    ++count;
  }
  EXPECT_EQ(count, 27);
}

TEST(RuleCases, B037_TypesKeepTheirMeaningAndOptionsInsideLogic) {
  const Decider d(file("B037.yaml"));
  EXPECT_EQ(d.line("to=s.test:80 src=127.0.0.1:4000"), 0);
  EXPECT_EQ(d.line("to=s.test:80 src=127.0.0.2:4000"), 3);
  EXPECT_EQ(d.line("to=s6.test:80 src=[fd00::1]:4000"), 1);
  EXPECT_EQ(d.line("to=192.0.2.8:80"), 2);
  EXPECT_EQ(d.of("to=o.test:80"), (Decision{2, 0, 0}));
  EXPECT_EQ(d.of("to=p.test:80 ip=192.0.2.8"), (Decision{3, 0, 0}));
}

TEST(RuleCases, B038_HostBitsMasksCaseAndPadding) {
  TextSets sets;
  sets.ranges("I", file("B038.list"));
  const Decider d(file("B038.yaml"), sets);
  EXPECT_EQ(d.line("to=10.10.15.9:80"), 0);
  EXPECT_EQ(d.line("to=10.10.16.1:80"), 2);
  for (const char* address :
       {"172.16.0.1", "172.31.255.1", "192.0.2.7", "198.51.100.9", "[2001:db8::9]"})
    EXPECT_EQ(d.line("to=" + std::string(address) + ":80"), 1) << address;
  for (const char* address : {"172.32.0.1", "192.0.2.8", "[2001:db9::9]"})
    EXPECT_EQ(d.line("to=" + std::string(address) + ":80"), 2) << address;
}

}  // namespace
}  // namespace sluice::compile
