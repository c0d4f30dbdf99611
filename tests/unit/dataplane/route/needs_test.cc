#include "dataplane/route/needs.h"

#include <gtest/gtest.h>

#include <array>

#include "manifests.h"

namespace sluice::route {
namespace {

using ruleset::Condition;

constexpr ruleset::MacAddress kMac{std::byte{2}, {}, {}, {}, {}, std::byte{1}};

FactNeeds needs_of_line(const Condition& condition) {
  test::Applied applied = test::base();
  ruleset::Builder rules;
  rules.line(condition);
  rules.always();
  applied.manifest.rules = {{"Any", "", 0, 0}, {"Match", "", 0, 1}};
  test::set_rules(applied, rules);
  const auto snapshot = test::build(applied);
  EXPECT_TRUE(snapshot) << snapshot.error().reason;
  return snapshot ? (*snapshot)->needs() : FactNeeds{};
}

TEST(FactNeeds, ALineAloneNeedsItsFact) {
  EXPECT_EQ(needs_of_line(Condition::source_mac(kMac)), (FactNeeds{.source_mac = true}));
  EXPECT_EQ(needs_of_line(Condition::dscp(46, 46)), (FactNeeds{.dscp = true}));
  for (const Condition& process :
       {Condition::process_name("curl"), Condition::process_path("/usr/bin/curl"),
        Condition::process_name_wildcard("c*"), Condition::process_path_wildcard("/usr/*"),
        Condition::process_name_regex("^c"), Condition::process_path_regex("^/usr")})
    EXPECT_EQ(needs_of_line(process), (FactNeeds{.process = true}));
}

TEST(FactNeeds, SoDoesOneDeepInsideAnother) {
  const auto inside = [](Condition rare) {
    return Condition::all(
        {Condition::domain("a.test"),
         Condition::negate(Condition::any({std::move(rare), Condition::network(Network::udp)}))});
  };
  EXPECT_EQ(needs_of_line(inside(Condition::source_mac(kMac))),
            (FactNeeds{.source_mac = true, .host = true}));
  EXPECT_EQ(needs_of_line(inside(Condition::dscp(1, 2))), (FactNeeds{.dscp = true, .host = true}));
  EXPECT_EQ(needs_of_line(inside(Condition::process_name("curl"))),
            (FactNeeds{.process = true, .host = true}));
}

TEST(FactNeeds, LinesByNameNeedAHost) {
  for (const Condition& name :
       {Condition::domain("a.test"), Condition::domain_suffix("a.test"),
        Condition::domain_keyword("abcd"), Condition::domain_wildcard("a?.test"),
        Condition::domain_regex("^a"), Condition::domain_labels("a.*.test")})
    EXPECT_EQ(needs_of_line(name), (FactNeeds{.host = true}));
}

TEST(FactNeeds, OtherLinesNeedNothingAndAUserIdNoHelper) {
  EXPECT_EQ(needs_of_line(Condition::in_ports(std::array{ruleset::PortRange{1, 2}})), FactNeeds{});
  EXPECT_EQ(needs_of_line(Condition::uid(0, 0)), FactNeeds{});
  EXPECT_EQ(needs_of_line(Condition::user("anna")), FactNeeds{});
}

TEST(FactNeeds, TwoSnapshotsNeedWhatEitherDoes) {
  EXPECT_EQ((FactNeeds{.source_mac = true} | FactNeeds{.dscp = true}),
            (FactNeeds{.source_mac = true, .dscp = true}));
  EXPECT_EQ((FactNeeds{} | FactNeeds{.process = true}), (FactNeeds{.process = true}));
}

}  // namespace
}  // namespace sluice::route
