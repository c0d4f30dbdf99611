// What an explanation says: every question of "why this line" has its step.
#include "dataplane/route/trace.h"

#include <algorithm>

#include "dataplane/route/matcher.h"
#include "tests/unit/dataplane/route/flows.h"
#include "tests/unit/dataplane/route/manifests.h"

namespace sluice::route {
namespace {

using ruleset::Condition;
using ruleset::Resolve;
using test::Flow;
using test::Steps;
using Ask = Matcher::Ask;

constexpr std::uint32_t kReject = 1;
constexpr std::uint32_t kPass = 2;
constexpr std::uint32_t kProxy = 5;

using Said = std::vector<std::string>;

struct Explained : Flow {
  Steps trace;
  std::optional<Matcher> matcher;

  Explained(const Snapshot& s, const std::string& host) : Flow(host) {
    matcher.emplace(s, facts, &trace);
  }
};

std::unique_ptr<const Snapshot> build(const test::Rules& rules) {
  auto built = test::build(rules.applied());
  EXPECT_TRUE(built);
  return std::move(*built);
}

TEST(Trace, SaysWhatTheFlowHasNoKeyFor) {
  test::Rules r;
  r.suffix("a.test", kReject);
  r.address("203.0.113.0/24", kReject, Resolve::no);
  r.line(Condition::user("ann"), kReject);
  r.line(Condition::dscp(1, 2), kReject);
  r.always(kProxy);
  const auto s = build(r);
  Explained named(*s, "b.test");
  ASSERT_EQ(named.matcher->run(), Ask::decided);
  EXPECT_EQ(named.trace.of("not compared"),
            (Said{"destination addresses, as long as that of b.test is not known",
                  "users: the flow has none"}));
  Explained bare(*s, "192.0.2.1");
  ASSERT_EQ(bare.matcher->run(), Ask::decided);
  EXPECT_EQ(bare.trace.of("not compared"), Said{"names, users: the flow has none"});
}

TEST(Trace, SaysWhetherALookUpWasNeeded) {
  test::Rules r;
  r.suffix("early.test", kReject);
  r.address("203.0.113.0/24", kReject, Resolve::yes);
  r.always(kProxy);
  const auto s = build(r);
  Explained early(*s, "early.test");
  ASSERT_EQ(early.matcher->run(), Ask::decided);
  EXPECT_EQ(early.trace.of("resolve"),
            Said{"not needed: no line that was reached hangs on an address"});
  Explained known(*s, "203.0.113.7");
  ASSERT_EQ(known.matcher->run(), Ask::decided);
  EXPECT_EQ(known.trace.of("resolve"), Said{"not needed: the address is known"});
  Explained asks(*s, "late.test");
  ASSERT_EQ(asks.matcher->run(), Ask::needs_address);
  const IpAddress answer[] = {*IpAddress::parse("203.0.113.9"), *IpAddress::parse("192.0.2.1")};
  asks.matcher->set_addresses(answer);
  ASSERT_EQ(asks.matcher->run(), Ask::decided);
  EXPECT_EQ(asks.trace.of("resolve"),
            (Said{"rule 1 (IP-CIDR,203.0.113.0/24) needs the address of late.test",
                  "the address is 203.0.113.9, the first of 2; the others do not count"}));
}

TEST(Trace, ALookUpWithoutAddressSaysWhatTheDnsDid) {
  test::Rules r;
  r.address("203.0.113.0/24", kReject, Resolve::yes);
  r.always(kProxy);
  const auto s = build(r);
  const std::pair<Errc, const char*> cases[] = {
      {Errc::no_address, "the DNS has no address"},
      {Errc::timeout, "the DNS did not answer in time"},
      {Errc::unreachable, "the control plane, which asks the DNS, is away"},
  };
  for (const auto& [why, said] : cases) {
    Explained flow(*s, "late.test");
    ASSERT_EQ(flow.matcher->run(), Ask::needs_address);
    flow.matcher->set_addresses({}, why);
    ASSERT_EQ(flow.matcher->run(), Ask::decided);
    EXPECT_EQ(flow.trace.of("resolve").back(),
              std::string(said) + "; lines that need one cannot match");
  }
}

// The bound of the contract is 256 steps: the decisive ones are never among those left out.
TEST(Trace, ALongWalkIsCountedAndStillSaysWhatDecided) {
  test::Rules r;
  for (int i = 0; i < 3'000; ++i)
    r.line(Condition::all({Condition::domain_keyword("shop"),
                           Condition::domain_regex("^never" + std::to_string(i))}),
           kReject);
  r.suffix("test", kPass);
  r.always(kProxy);
  const auto s = build(r);
  Explained flow(*s, "my-shop.test");
  ASSERT_EQ(flow.matcher->run(), Ask::decided);
  EXPECT_EQ(flow.matcher->route().rule_index, 3'001);
  EXPECT_LT(flow.trace.steps.size(), 200U);
  ASSERT_EQ(flow.trace.of("more").size(), 1U);
  EXPECT_NE(flow.trace.of("more")[0].find(" further steps like these"), std::string::npos);
  EXPECT_EQ(flow.trace.of("rule").back(), "rule 3001 (MATCH) matches: proxy");
}

// Every look-up, test and verdict has a time; a clock may tick between none of them.
TEST(Trace, StepsThatWorkHaveTheirTime) {
  test::Rules r;
  r.line(Condition::all({Condition::domain_suffix("a.test"), Condition::network(Network::udp)}),
         kReject);
  r.always(kProxy);
  const auto s = build(r);
  std::uint64_t names = 0;
  std::uint64_t condition = 0;
  std::uint64_t rule = 0;
  for (int turn = 0; turn < 50; ++turn) {
    Explained flow(*s, "a.test");
    ASSERT_EQ(flow.matcher->run(), Ask::decided);
    for (const auto& step : flow.trace.steps) {
      if (step.what == "names") names += step.ns;
      if (step.what == "condition") condition += step.ns;
      if (step.what == "rule" && step.detail.find("matches") != std::string::npos) rule += step.ns;
    }
  }
  EXPECT_GT(names, 0U);
  EXPECT_GT(condition, 0U);
  EXPECT_GT(rule, 0U);
}

TEST(Trace, SaysWhatAskedForFirstBytesAndWhatTheyTold) {
  using contract::Protocol;
  test::Rules r;
  r.line(Condition::protocols(1U << static_cast<unsigned>(Protocol::tls)), kReject);
  r.always(kProxy);
  const auto s = build(r);
  for (const auto& [protocol, told] :
       {std::pair(Protocol::tls, "it speaks tls"), std::pair(Protocol::none, "nothing is known")}) {
    Explained e(*s, "192.0.2.1");
    e.facts.can_speak = true;
    e.matcher.emplace(*s, e.facts, &e.trace);
    ASSERT_EQ(e.matcher->run(), Ask::needs_protocol);
    e.matcher->set_protocol(protocol);
    ASSERT_EQ(e.matcher->run(), Ask::decided);
    EXPECT_EQ(e.matcher->route().rule_index, protocol == Protocol::tls ? 0 : 1);
    EXPECT_TRUE(e.trace.says("sniff", "needs what the client's first bytes say"));
    EXPECT_TRUE(e.trace.says("sniff", told));
  }
  Explained known(*s, "192.0.2.1");
  known.facts.protocol = Protocol::tls;
  known.matcher.emplace(*s, known.facts, &known.trace);
  EXPECT_EQ(known.matcher->run(), Ask::decided) << "nobody is asked twice";
  EXPECT_EQ(known.matcher->route().rule_index, 0);
}

}  // namespace
}  // namespace sluice::route
