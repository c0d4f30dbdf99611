// Lines that take several positions, that are disabled, or that ask who owns the flow.
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

std::unique_ptr<const Snapshot> build(const test::Rules& rules) {
  auto built = test::build(rules.applied());
  EXPECT_TRUE(built) << (built ? "" : built.error().reason);
  return std::move(*built);
}

std::int32_t decide(const Snapshot& s, const Flow& flow) {
  Matcher m(s, flow.facts);
  EXPECT_EQ(m.run(), Ask::decided);
  return m.route().rule_index;
}

Condition port(std::uint16_t number) {
  const ruleset::PortRange range[] = {{number, number}};
  return Condition::destination_ports(range);
}

//  0 SUB-RULE (port 9): 2 (address, asks), 3 PASS      1 MATCH
test::Rules guarded() {
  test::Rules r;
  r.block.begin_group();
  r.block.place(2, Condition::all({port(9), Condition::destination(*Prefix::parse("192.0.2.0/24"),
                                                                   Resolve::yes)}));
  r.block.place(3, Condition::all({port(9), Condition::domain_suffix("pass.test")}));
  r.block.place(4, Condition::all({port(9), Condition::always()}));
  r.block.end_group();
  r.group();
  r.always(kProxy);
  r.inner(kReject);
  r.inner(kPass);
  r.inner(kReject);
  return r;
}

TEST(SubRule, B025AGuardThatDoesNotHoldAsksForNoAddress) {
  const auto s = build(guarded());
  EXPECT_EQ(decide(*s, Flow("a.test", 443)), 1);
  Flow reaches("a.test", 9);
  Matcher m(*s, reaches.facts);
  ASSERT_EQ(m.run(), Ask::needs_address);
  const IpAddress answer[] = {*IpAddress::parse("192.0.2.1")};
  m.set_addresses(answer);
  ASSERT_EQ(m.run(), Ask::decided);
  EXPECT_EQ(m.route().rule_index, 2);
}

TEST(SubRule, PassGoesOnBehindTheGroupAndBothLinesCount) {
  const auto s = build(guarded());
  Flow passes("pass.test", 9);
  Matcher m(*s, passes.facts);
  ASSERT_EQ(m.run(), Ask::needs_address);
  ASSERT_EQ(m.run(), Ask::decided);
  EXPECT_EQ(m.route().rule_index, 1);  // not 4, which stands behind it in the group
  Flow stays("other.test", 9);
  Matcher n(*s, stays.facts);
  ASSERT_EQ(n.run(), Ask::needs_address);
  ASSERT_EQ(n.run(), Ask::decided);
  EXPECT_EQ(n.route().rule_index, 4);
  EXPECT_EQ(s->hits(0), 1U);
  EXPECT_EQ(s->hits(1), 1U);
  EXPECT_EQ(s->hits(4), 1U);
}

TEST(Disabled, ALineIsPassedOverAndAsksForNothing) {
  test::Rules r;
  r.address("198.51.100.0/24", kReject, Resolve::yes);
  r.suffix("test", kReject);
  r.always(kProxy);
  const auto s = build(r);
  EXPECT_FALSE(s->set_disabled(3, true));
  ASSERT_TRUE(s->set_disabled(0, true));
  EXPECT_EQ(decide(*s, Flow("a.test")), 1);
  ASSERT_TRUE(s->set_disabled(1, true));
  EXPECT_EQ(decide(*s, Flow("a.test")), 2);
  Flow explained("a.test");
  Steps trace;
  Matcher m(*s, explained.facts, &trace);
  ASSERT_EQ(m.run(), Ask::decided);
  EXPECT_TRUE(trace.says("rule", "rule 1 (DOMAIN-SUFFIX,test) is disabled"));
  ASSERT_TRUE(s->set_disabled(1, false));
  EXPECT_EQ(decide(*s, Flow("a.test")), 1);
}

TEST(Disabled, AGroupGoesAsAWholeAndItsLinesOneByOne) {
  const auto s = build(guarded());
  ASSERT_TRUE(s->set_disabled(0, true));
  EXPECT_EQ(decide(*s, Flow("a.test", 9)), 1);
  ASSERT_TRUE(s->set_disabled(0, false));
  ASSERT_TRUE(s->set_disabled(2, true));
  EXPECT_EQ(decide(*s, Flow("a.test", 9)), 4);
}

// B026: lines of a set run in order as far as questions go: a name that matches asks nothing.
TEST(Sets, B026ANameThatMatchesAsksForNoAddress) {
  for (const Resolve resolve : {Resolve::yes, Resolve::no}) {
    test::Rules r;
    const ruleset::SetId set = r.block.add_set();
    r.block.domain_suffix(set, "early.test");
    r.block.destination(set, *Prefix::parse("192.0.2.0/24"));
    r.line(Condition::in_set(set, resolve), kReject);
    r.always(kProxy);
    const auto s = build(r);
    EXPECT_EQ(decide(*s, Flow("www.early.test")), 0);
    EXPECT_EQ(decide(*s, Flow("192.0.2.7")), 0);
    Flow other("late.test");
    Matcher m(*s, other.facts);
    EXPECT_EQ(m.run(), resolve == Resolve::yes ? Ask::needs_address : Ask::decided);
  }
}

// A mixed set behind PASS takes several positions; none of them is tried again.
TEST(Sets, PassLeavesTheWholeLine) {
  test::Rules r;
  const ruleset::SetId set = r.block.add_set();
  r.block.domain_suffix(set, "test");
  r.block.add(set, Condition::domain_regex("^a[0-9]"));
  r.line(Condition::in_set(set, Resolve::no), kPass);
  r.always(kProxy);
  const auto s = build(r);
  EXPECT_GT(s->rules().position_count(), 2U);
  EXPECT_EQ(decide(*s, Flow("a1.test")), 1);
  EXPECT_EQ(s->hits(0), 0U);
}

TEST(Owner, IsAskedOnceAndTheProcessOnlyWhenALineHangsOnIt) {
  test::Rules r;
  r.line(Condition::uid(1000, 1000), kReject);
  r.line(Condition::all({Condition::domain_suffix("p.test"), Condition::process_name("curl")}),
         kReject);
  r.always(kProxy);
  const auto s = build(r);
  EXPECT_EQ(decide(*s, Flow("p.test")), 2);  // of a LAN client
  Flow local("p.test");
  local.facts.local_source = true;
  Matcher m(*s, local.facts);
  ASSERT_EQ(m.run(), Ask::needs_owner);
  EXPECT_FALSE(m.needs_process());
  m.set_owner({0U, {}});
  ASSERT_EQ(m.run(), Ask::needs_owner);
  EXPECT_TRUE(m.needs_process());
  m.set_owner({0U, "/usr/bin/curl"});
  ASSERT_EQ(m.run(), Ask::decided);
  EXPECT_EQ(m.route().rule_index, 1);
  Matcher nobody(*s, local.facts);
  ASSERT_EQ(nobody.run(), Ask::needs_owner);
  ASSERT_EQ(nobody.run(), Ask::needs_owner);  // no answer: no such owner
  ASSERT_EQ(nobody.run(), Ask::decided);
  EXPECT_EQ(nobody.route().rule_index, 2);
}

TEST(Explain, SaysWhichTestOfACandidateFailed) {
  test::Rules r;
  r.line(Condition::all({Condition::domain_suffix("a.test"), port(80)}), kReject);
  r.always(kProxy);
  const auto s = build(r);
  Flow flow("www.a.test");
  Steps trace;
  Matcher m(*s, flow.facts, &trace);
  ASSERT_EQ(m.run(), Ask::decided);
  EXPECT_EQ(m.route().rule_index, 1);
  EXPECT_TRUE(trace.says("names", "rule 0 (Logic) is the first that may match"));
  EXPECT_TRUE(trace.says("condition", "rule 0 (Logic) does not match: DST-PORT 80 does not hold"));
  EXPECT_TRUE(trace.says("rule", "rule 0 does not match"));
}

TEST(Snapshot, APatternThatDoesNotCompileIsRefused) {
  test::Rules r;
  r.line(Condition::domain_regex("^abc"), kReject);
  auto applied = r.applied();
  std::vector<std::byte> block = *r.block.finish();
  // The text's first byte becomes '('.
  const std::string_view text = as_text(block);
  block[text.rfind("^abc")] = std::byte{'('};
  Writer sum(ByteSpan(block).subspan(ruleset::kChecksumOffset, 8));
  sum.u64le(ruleset::checksum(block));
  test::set_block(applied, std::move(block));
  const auto built = test::build(applied);
  ASSERT_FALSE(built);
  EXPECT_EQ(built.error().place, "ruleset");
  EXPECT_NE(built.error().reason.find("pattern 0"), std::string::npos);
}

}  // namespace
}  // namespace sluice::route
