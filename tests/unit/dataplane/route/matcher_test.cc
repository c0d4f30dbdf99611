#include "dataplane/route/matcher.h"

#include "tests/unit/dataplane/route/flows.h"
#include "tests/unit/dataplane/route/manifests.h"

namespace sluice::route {
namespace {

using ruleset::Resolve;
using test::Flow;
using test::Steps;
using Ask = Matcher::Ask;

Route decide(const Snapshot& s, const Flow& flow) {
  Matcher m(s, flow.facts);
  EXPECT_EQ(m.run(), Ask::decided);
  return m.route();
}

std::unique_ptr<const Snapshot> build(const test::Rules& rules, contract::Mode mode = {}) {
  auto applied = rules.applied();
  applied.manifest.mode = mode;
  auto built = test::build(applied);
  EXPECT_TRUE(built);
  return std::move(*built);
}

test::Rules sample() {
  test::Rules r;
  r.suffix("pass.test", 2);                      // 0: PASS
  r.suffix("tcp.test", 3);                       // 1: no UDP
  r.suffix("test", 7);                           // 2: outer
  r.address("203.0.113.0/24", 1, Resolve::yes);  // 3: REJECT
  r.address("198.51.100.0/24", 5, Resolve::no);  // 4
  r.suffix("unbuilt.example", 4);                // 5
  return r;
}

TEST(Matcher, FirstMatchWinsAndTheChainIsLeafFirst) {
  const auto s = build(sample());
  const Route route = decide(*s, Flow("www.test"));
  EXPECT_EQ(route.rule_index, 2);
  EXPECT_EQ(route.leaf, 5U);
  EXPECT_TRUE(std::ranges::equal(route.chain(), std::vector<std::uint32_t>{5, 6, 7}));
  EXPECT_EQ(route.refused, Refused::none);
}

TEST(Matcher, PassGoesOnToTheNextLine) {
  const auto s = build(sample());
  EXPECT_EQ(decide(*s, Flow("pass.test")).rule_index, 2);
  // The same behind a group.
  ASSERT_TRUE(s->select("outer", "PASS"));
  EXPECT_EQ(decide(*s, Flow("198.51.100.1")).rule_index, 4);
  Flow flow("pass.test");
  Matcher passed(*s, flow.facts);
  EXPECT_EQ(passed.run(), Ask::needs_address);
}

TEST(Matcher, UdpGoesOnWhereTheTargetCarriesNone) {
  const auto s = build(sample());
  EXPECT_EQ(decide(*s, Flow("a.tcp.test", Network::tcp)).rule_index, 1);
  EXPECT_EQ(decide(*s, Flow("a.tcp.test", Network::udp)).rule_index, 2);
  ASSERT_TRUE(s->select("outer", "tcp-only"));
  Flow flow("a.tcp.test", Network::udp);
  Matcher m(*s, flow.facts);
  EXPECT_EQ(m.run(), Ask::needs_address);
}

TEST(Matcher, NothingMatchedIsDirect) {
  const auto s = build(sample());
  const Route route = decide(*s, Flow("192.0.2.1"));
  EXPECT_EQ(route.rule_index, -1);
  EXPECT_EQ(route.leaf, 0U);
  EXPECT_EQ(route.chain().size(), 1U);
}

TEST(Matcher, AKnownAddressIsTestedWithoutALookUp) {
  const auto s = build(sample());
  EXPECT_EQ(decide(*s, Flow("203.0.113.7")).rule_index, 3);
  EXPECT_EQ(decide(*s, Flow("198.51.100.7")).rule_index, 4);
  Flow both("a.example");
  both.to.ip = *IpAddress::parse("198.51.100.7");
  EXPECT_EQ(decide(*s, both).rule_index, 4);
}

TEST(Matcher, AsksOnceAndTheFirstAddressCounts) {
  const auto s = build(sample());
  Flow flow("a.example");
  Matcher m(*s, flow.facts);
  ASSERT_EQ(m.run(), Ask::needs_address);
  const IpAddress answer[] = {*IpAddress::parse("198.51.100.1"), *IpAddress::parse("203.0.113.1")};
  m.set_addresses(answer);
  ASSERT_EQ(m.run(), Ask::decided);
  EXPECT_EQ(m.route().rule_index, 4);
  EXPECT_EQ(m.run(), Ask::decided);  // asking again changes nothing
  EXPECT_EQ(m.route().rule_index, 4);
}

TEST(Matcher, AFailedLookUpFailsAllAddressLines) {
  const auto s = build(sample());
  Flow flow("unbuilt.example");
  for (const bool answered : {true, false}) {
    Matcher m(*s, flow.facts);
    ASSERT_EQ(m.run(), Ask::needs_address);
    if (answered) m.set_addresses({});
    ASSERT_EQ(m.run(), Ask::decided);
    EXPECT_EQ(m.route().rule_index, 5);
  }
}

// Never DIRECT: the line is taken and the route says why nothing can be dialled.
TEST(Matcher, AnUnbuiltTargetIsRefusedNotPassedOver) {
  const auto s = build(sample());
  Flow flow("unbuilt.example");
  Matcher m(*s, flow.facts);
  ASSERT_EQ(m.run(), Ask::needs_address);
  m.set_addresses({});
  ASSERT_EQ(m.run(), Ask::decided);
  EXPECT_EQ(m.route().refused, Refused::not_built);
  EXPECT_EQ(m.route().leaf, 4U);
}

TEST(Matcher, TheListenersOutboundComesFirstThenTheMode) {
  for (const contract::Mode mode :
       {contract::Mode::rule, contract::Mode::global, contract::Mode::direct}) {
    const auto s = build(sample(), mode);
    Flow flow("www.test");
    flow.facts.listener_outbound = 3;
    const Route listener = decide(*s, flow);
    EXPECT_EQ(listener.leaf, 3U);
    EXPECT_EQ(listener.rule_index, -1);
    flow.facts.listener_outbound.reset();
    const Route by_mode = decide(*s, flow);
    switch (mode) {
      case contract::Mode::rule:
        EXPECT_EQ(by_mode.rule_index, 2);
        break;
      case contract::Mode::global:
        EXPECT_TRUE(std::ranges::equal(by_mode.chain(), std::vector<std::uint32_t>{5, 6, 7, 8}));
        break;
      case contract::Mode::direct:
        EXPECT_EQ(by_mode.leaf, 0U);
        break;
    }
    EXPECT_EQ(by_mode.rule_index == -1, mode != contract::Mode::rule);
  }
}

// There is no next line to go on to.
TEST(Matcher, OutsideRulesPassAndMissingUdpAreRefusals) {
  const auto s = build(sample(), contract::Mode::global);
  ASSERT_TRUE(s->select("outer", "PASS"));
  EXPECT_EQ(decide(*s, Flow("www.test")).refused, Refused::pass);
  ASSERT_TRUE(s->select("outer", "tcp-only"));
  EXPECT_EQ(decide(*s, Flow("www.test", Network::udp)).refused, Refused::no_udp);
}

TEST(Matcher, HitsCountFlowsAndNotExplanations) {
  const auto s = build(sample());
  decide(*s, Flow("www.test"));
  decide(*s, Flow("pass.test"));
  Flow flow("www.test");
  Steps trace;
  Matcher m(*s, flow.facts, &trace);
  ASSERT_EQ(m.run(), Ask::decided);
  EXPECT_EQ(s->hits(0), 0U);  // passed over
  EXPECT_EQ(s->hits(2), 2U);
}

TEST(Matcher, TheTraceTellsTheWholeDecision) {
  const auto s = build(sample());
  Flow flow("a.example", Network::udp);
  Steps trace;
  Matcher m(*s, flow.facts, &trace);
  ASSERT_EQ(m.run(), Ask::needs_address);
  const IpAddress answer[] = {*IpAddress::parse("198.51.100.1")};
  m.set_addresses(answer);
  ASSERT_EQ(m.run(), Ask::decided);
  EXPECT_TRUE(trace.says("names", "no rule matches"));
  EXPECT_TRUE(
      trace.says("resolve", "rule 3 (IP-CIDR,203.0.113.0/24) needs the address of a.example"));
  EXPECT_TRUE(trace.says("resolve", "the address is 198.51.100.1"));
  EXPECT_TRUE(trace.says("destination addresses", "rule 4 (IP-CIDR,198.51.100.0/24) is the first"));
  EXPECT_TRUE(trace.says("rule", "rules 0 to 3 do not match"));
  EXPECT_TRUE(trace.says("rule", "rule 4 (IP-CIDR,198.51.100.0/24) matches: proxy"));

  Flow skipped("a.tcp.test", Network::udp);
  Steps second;
  Matcher n(*s, skipped.facts, &second);
  ASSERT_EQ(n.run(), Ask::decided);
  EXPECT_TRUE(second.says("rule", "rule 0 does not match"));
  EXPECT_TRUE(second.says("rule", "tcp-only, which carries no UDP; on to the next rule"));
  EXPECT_TRUE(second.says("group", "outer uses group"));
  EXPECT_TRUE(second.says("group", "group uses proxy"));
}

// Lines of the user's list that were skipped leave gaps; steps count as the user does.
TEST(Matcher, TheTraceCountsAsTheUsersListDoes) {
  test::Rules rules = sample();
  for (contract::RuleLine& line : rules.lines) line.number = line.number * 10 + 7;
  const auto s = build(rules);
  Flow flow("a.example", Network::udp);
  Steps trace;
  Matcher m(*s, flow.facts, &trace);
  ASSERT_EQ(m.run(), Ask::needs_address);
  EXPECT_TRUE(trace.says("names", "from rule 7 on"));
  EXPECT_TRUE(trace.says("resolve", "rule 37 (IP-CIDR,203.0.113.0/24)"));
  const IpAddress answer[] = {*IpAddress::parse("198.51.100.1")};
  m.set_addresses(answer);
  ASSERT_EQ(m.run(), Ask::decided);
  EXPECT_TRUE(trace.says("rule", "rules 7 to 37 do not match"));
  EXPECT_TRUE(trace.says("rule", "rule 47 (IP-CIDR,198.51.100.0/24) matches: proxy"));
  EXPECT_EQ(m.route().rule_index, 4);
}

TEST(Matcher, AnExplanationDecidesAsTheFlowDoes) {
  const auto s = build(sample());
  for (const char* host : {"www.test", "pass.test", "203.0.113.4", "198.51.100.4", "10.0.0.1"}) {
    for (const Network network : {Network::tcp, Network::udp}) {
      Flow flow(host, network);
      Steps trace;
      Matcher explained(*s, flow.facts, &trace);
      ASSERT_EQ(explained.run(), Ask::decided);
      EXPECT_EQ(explained.route().rule_index, decide(*s, flow).rule_index) << host;
    }
  }
}

}  // namespace
}  // namespace sluice::route
