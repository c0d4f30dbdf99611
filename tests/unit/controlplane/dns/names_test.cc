#include <gtest/gtest.h>

#include "controlplane/dns/names/hosts.h"
#include "controlplane/dns/names/name_patterns.h"

namespace sluice::dns {
namespace {

TEST(NamePatterns, WildcardsMeanWhatTheManualSays) {
  NamePatterns p;
  ASSERT_TRUE(p.add("exact.test", 1));
  ASSERT_TRUE(p.add("*.one.test", 2));
  ASSERT_TRUE(p.add("+.both.test", 3));
  ASSERT_TRUE(p.add(".below.test", 4));
  ASSERT_TRUE(p.add("a.*.mid.test", 5));
  EXPECT_EQ(p.find("exact.test"), 1U);
  EXPECT_FALSE(p.find("x.exact.test"));
  EXPECT_EQ(p.find("x.one.test"), 2U);
  EXPECT_FALSE(p.find("one.test"));
  EXPECT_FALSE(p.find("y.x.one.test"));
  EXPECT_EQ(p.find("both.test"), 3U);
  EXPECT_EQ(p.find("y.x.both.test"), 3U);
  EXPECT_FALSE(p.find("notboth.test"));
  EXPECT_FALSE(p.find("below.test"));
  EXPECT_EQ(p.find("y.x.below.test"), 4U);
  EXPECT_EQ(p.find("a.x.mid.test"), 5U);
  EXPECT_FALSE(p.find("b.x.mid.test"));
}

TEST(NamePatterns, TheMostSpecificWinsAndOfEqualOnesTheFirst) {
  NamePatterns p;
  ASSERT_TRUE(p.add("+.x.test", 1));
  ASSERT_TRUE(p.add("*.x.test", 2));
  ASSERT_TRUE(p.add("a.x.test", 3));
  ASSERT_TRUE(p.add("a.x.test", 4));
  EXPECT_EQ(p.find("a.x.test"), 3U);
  EXPECT_EQ(p.find("b.x.test"), 2U);
  EXPECT_EQ(p.find("c.b.x.test"), 1U);
  // The exact branch leads nowhere: the search comes back to the wildcard.
  EXPECT_EQ(p.find("z.a.x.test"), 1U);
}

// B056.
TEST(NamePatterns, ImpossiblePatternsAreRefused) {
  NamePatterns p;
  for (const char* bad : {"", "+", "+.", ".", "a..b", "*.*.+.x.test", "~+", "a*.test", "a.", "..a"})
    EXPECT_FALSE(p.add(bad, 0)) << bad;
  EXPECT_TRUE(p.empty());
  EXPECT_TRUE(p.add("*", 0));
  EXPECT_TRUE(p.matches("localhost"));
  EXPECT_FALSE(p.matches("a.test"));
}

IpAddress ip(const char* text) {
  return *IpAddress::parse(text);
}

TEST(Hosts, AddressesAliasesAndReverse) {
  const Hosts hosts({
      {.pattern = "router.lan", .addresses = {ip("192.168.1.1"), ip("fd00::1")}},
      {.pattern = "+.ads.test", .addresses = {ip("0.0.0.0")}},
      {.pattern = "nas.lan", .alias = "box.lan"},
      {.pattern = "box.lan", .alias = "router.lan"},
      {.pattern = "out.lan", .alias = "cdn.example"},
  });
  EXPECT_EQ(hosts.find("router.lan")->addresses.size(), 2U);
  EXPECT_TRUE(hosts.find("x.ads.test")->listed);
  const auto nas = hosts.find("nas.lan");
  ASSERT_TRUE(nas);
  EXPECT_EQ(nas->name, "router.lan");
  EXPECT_EQ(nas->aliases, (std::vector<std::string>{"box.lan", "router.lan"}));
  EXPECT_EQ(nas->addresses.size(), 2U);
  const auto out = hosts.find("out.lan");
  EXPECT_EQ(out->name, "cdn.example");
  EXPECT_FALSE(out->listed);
  const auto other = hosts.find("other.test");
  EXPECT_EQ(other->name, "other.test");
  EXPECT_FALSE(other->listed);
  EXPECT_TRUE(other->aliases.empty());
  EXPECT_EQ(hosts.name_of(ip("fd00::1")), "router.lan");
  EXPECT_EQ(hosts.name_of(ip("0.0.0.0")), "");
}

// RFC 6761 section 6.3; the user's line comes first.
TEST(Hosts, LocalhostIsLoopbackUnlessALineSaysOtherwise) {
  const Hosts none;
  for (const char* name : {"localhost", "box.localhost"}) {
    const auto found = none.find(name);
    ASSERT_TRUE(found);
    EXPECT_TRUE(found->listed) << name;
    EXPECT_EQ(found->addresses,
              (std::vector{*IpAddress::parse("127.0.0.1"), *IpAddress::parse("::1")}));
  }
  EXPECT_FALSE(none.find("notlocalhost")->listed);
  const Hosts own({{"localhost", {*IpAddress::parse("192.0.2.1")}, {}, false}});
  EXPECT_EQ(own.find("localhost")->addresses, std::vector{*IpAddress::parse("192.0.2.1")});
}

TEST(Hosts, SixteenAliasesAreFollowedAndNoMore) {
  std::vector<model::Host> lines;
  for (int i = 0; i < 17; ++i)
    lines.push_back({.pattern = "h" + std::to_string(i), .alias = "h" + std::to_string(i + 1)});
  const Hosts hosts(std::move(lines));
  EXPECT_EQ(hosts.find("h0").error().code, Errc::loop);
  EXPECT_EQ(hosts.find("h1")->name, "h17");
  const Hosts round({{.pattern = "a", .alias = "b"}, {.pattern = "b", .alias = "a"}});
  EXPECT_EQ(round.find("a").error().code, Errc::loop);
}

}  // namespace
}  // namespace sluice::dns
