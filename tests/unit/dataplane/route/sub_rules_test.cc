// PASS and PASS-RULE inside SUB-RULEs, and REMATCH: where a walk goes on, starts anew and ends.
#include <algorithm>
#include <ctime>

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

constexpr std::uint32_t kDirect = 0;
constexpr std::uint32_t kReject = 1;
constexpr std::uint32_t kPass = 2;
constexpr std::uint32_t kProxy = 5;
constexpr std::uint32_t kPassRule = 9;
constexpr std::uint32_t kChooser = 10;  // group {proxy, PASS-RULE, PASS, first again}
constexpr std::uint32_t kAgain = 11;    // the first one with REMATCH-NAME "two"
constexpr std::uint32_t kToList = 12;   // entry 1, if there is one
constexpr std::uint32_t kBack = 13;     // REMATCH-NAME "three", the list proper

contract::Outbound rematch(std::string name, std::optional<std::string> label,
                           std::optional<std::uint32_t> entry) {
  contract::Outbound out =
      test::outbound(std::move(name), contract::OutboundKind::rematch, "Rematch");
  out.rematch_name = std::move(label);
  out.rematch_entry = entry;
  return out;
}

test::Applied applied(const test::Rules& rules) {
  test::Applied out = rules.applied();
  auto& list = out.manifest.outbounds;
  list.push_back(test::outbound("PASS-RULE", contract::OutboundKind::pass_rule, "PassRule"));
  list.push_back(test::group("chooser", {kProxy, kPassRule, kPass, kAgain}));
  list.push_back(rematch("again", "two", {}));
  const auto view = ruleset::View::open(out.blobs[out.manifest.ruleset]->bytes);
  list.push_back(rematch("to-list", {}, view->entry_count() - 1));
  list.push_back(rematch("back", "three", 0));
  return out;
}

std::unique_ptr<const Snapshot> build(const test::Rules& rules) {
  auto built = test::build(applied(rules));
  EXPECT_TRUE(built) << (built ? "" : built.error().place + ": " + built.error().reason);
  return std::move(*built);
}

Route decide(const Snapshot& s, const Flow& flow) {
  Matcher m(s, flow.facts);
  EXPECT_EQ(m.run(), Ask::decided);
  return m.route();
}

std::int32_t line_of(const Snapshot& s, const std::string& host) {
  return decide(s, Flow(host)).rule_index;
}

void add_list(test::Rules& r, const std::string& list, std::vector<std::uint32_t> targets) {
  std::uint32_t number = 0;
  for (const std::uint32_t target : targets)
    r.lines.push_back({"Inner", "", target, number++, list});
}

//  0 SUB-RULE, streaming    1 test -> REJECT     2 MATCH -> proxy
//  streaming: 3 a -> chooser, 4 a -> REJECT, 5 SUB-RULE, deeper, 6 test -> DIRECT
//  deeper: 7 b -> chooser, 8 b -> REJECT
test::Rules nested() {
  test::Rules r;
  const Condition a = Condition::domain_suffix("a.test");
  const Condition b = Condition::domain_suffix("b.test");
  r.group();
  r.block.begin_group();
  r.block.place(3, a);
  r.block.place(4, a);
  r.block.begin_group(5);
  r.block.place(7, b);
  r.block.place(8, b);
  r.block.end_group();
  r.block.place(6, Condition::domain_suffix("test"));
  r.block.end_group();
  r.suffix("test", kReject);
  r.always(kProxy);
  add_list(r, "streaming", {kChooser, kReject, kDirect, kDirect});
  add_list(r, "deeper", {kChooser, kReject});
  return r;
}

TEST(PassRule, GoesOnWithTheNextLineOfTheSameList) {
  const auto s = build(nested());
  EXPECT_EQ(line_of(*s, "a.test"), 3);
  EXPECT_EQ(line_of(*s, "b.test"), 7);
  ASSERT_TRUE(s->select("chooser", "PASS-RULE"));  // behind a group as well
  EXPECT_EQ(line_of(*s, "a.test"), 4);
  EXPECT_EQ(line_of(*s, "b.test"), 8);
}

TEST(Pass, LeavesTheOutermostSubRule) {
  const auto s = build(nested());
  ASSERT_TRUE(s->select("chooser", "PASS"));
  EXPECT_EQ(line_of(*s, "a.test"), 1);
  EXPECT_EQ(line_of(*s, "b.test"), 1);
}

TEST(PassRule, InTheListProperIsPass) {
  test::Rules r;
  const ruleset::SetId set = r.block.add_set();
  r.block.domain_suffix(set, "test");
  r.block.add(set, Condition::domain_regex("^a"));
  r.line(Condition::in_set(set, Resolve::no), kPassRule);  // takes several positions
  r.always(kProxy);
  const auto s = build(r);
  EXPECT_EQ(line_of(*s, "a.test"), 1);
  EXPECT_EQ(s->hits(0), 0U);
}

TEST(SubRule, EveryListAroundCountsTheFlow) {
  const auto s = build(nested());
  EXPECT_EQ(line_of(*s, "b.test"), 7);
  EXPECT_EQ(s->hits(7), 1U);
  EXPECT_EQ(s->hits(5), 1U);
  EXPECT_EQ(s->hits(0), 1U);
  EXPECT_EQ(s->hits(3), 0U);
}

TEST(SubRule, OneInsideAnotherIsSwitchedOffAsAWhole) {
  const auto s = build(nested());
  ASSERT_TRUE(s->set_disabled(5, true));
  EXPECT_EQ(line_of(*s, "b.test"), 6);
  ASSERT_TRUE(s->set_disabled(0, true));
  EXPECT_EQ(line_of(*s, "b.test"), 1);
  Flow flow("b.test");
  Steps trace;
  Matcher m(*s, flow.facts, &trace);
  ASSERT_EQ(m.run(), Ask::decided);
  EXPECT_TRUE(trace.says("rule", "rule 0 (SubRule) is disabled"));
  EXPECT_FALSE(trace.says("rule", "sub-rule deeper"));
}

TEST(SubRule, IsToldByListAndLine) {
  const auto s = build(nested());
  Flow flow("b.test");
  Steps trace;
  Matcher m(*s, flow.facts, &trace);
  ASSERT_EQ(m.run(), Ask::decided);
  EXPECT_TRUE(trace.says("rule",
                         "sub-rule deeper, line 0 (Inner) of sub-rule streaming, line 2 (Inner) of "
                         "rule 0 (SubRule) matches: chooser"));
}

//  0 REMATCH-NAME two -> REJECT   1 REMATCH-NAME three -> DIRECT   2 list.test -> to-list
//  3 loop.test -> again           4 MATCH -> again
//  entry 1, "list": 5 back.test -> back, 6 pass.test -> PASS, 7 192.0.2.0/24 -> REJECT
test::Rules walked_again() {
  test::Rules r;
  r.line(Condition::rematch_name("two"), kReject);
  r.line(Condition::rematch_name("three"), kDirect);
  r.suffix("list.test", kToList);
  r.suffix("loop.test", kAgain);
  r.always(kAgain);
  r.block.begin_entry();
  r.block.place(5, Condition::domain_suffix("back.list.test"));
  r.block.place(6, Condition::domain_suffix("pass.list.test"));
  r.block.place(7, Condition::destination(*Prefix::parse("192.0.2.0/24"), Resolve::yes));
  add_list(r, "list", {kBack, kPass, kReject});
  return r;
}

TEST(Rematch, WalksTheRulesAgainUnderANewName) {
  const auto s = build(walked_again());
  const Route route = decide(*s, Flow("a.example"));
  EXPECT_EQ(route.rule_index, 0);
  EXPECT_TRUE(std::ranges::equal(route.chain(), std::vector<std::uint32_t>{kReject}));
  EXPECT_EQ(s->hits(4), 1U);  // sent it on
  EXPECT_EQ(s->hits(0), 1U);
}

TEST(Rematch, ANamedListIsWalkedInPlaceOfTheRules) {
  const auto s = build(walked_again());
  EXPECT_EQ(line_of(*s, "x.back.list.test"), 1);  // back to the rules, as "three"
  Flow flow("x.list.test");
  Matcher m(*s, flow.facts);
  ASSERT_EQ(m.run(), Ask::needs_address);
  const IpAddress answer[] = {*IpAddress::parse("192.0.2.1")};
  m.set_addresses(answer);
  ASSERT_EQ(m.run(), Ask::decided);
  EXPECT_EQ(m.route().rule_index, 7);
}

// The rules behind the REMATCH are not gone back to.
TEST(Rematch, AListThatEndsIsTheEnd) {
  const auto s = build(walked_again());
  Flow flow("pass.list.test");
  Matcher m(*s, flow.facts);
  ASSERT_EQ(m.run(), Ask::needs_address);
  ASSERT_EQ(m.run(), Ask::decided);
  EXPECT_EQ(m.route().rule_index, -1);
  EXPECT_EQ(m.route().leaf, kDirect);
  EXPECT_EQ(s->unmatched(0), 0U);
  EXPECT_EQ(s->unmatched(1), 1U);
}

TEST(Rematch, OneThatNamesNoListStaysInTheListThatIsWalked) {
  test::Rules r;
  r.always(kToList);
  r.block.begin_entry();
  r.block.place(1, Condition::rematch_name("two"));
  r.block.place(2, Condition::always());
  add_list(r, "list", {kReject, kAgain});
  const auto s = build(r);
  EXPECT_EQ(line_of(*s, "a.test"), 1);
}

TEST(Rematch, WhatIsKnownIsNotAskedAgain) {
  test::Rules r;
  r.address("198.51.100.0/24", kReject, Resolve::yes);
  r.line(Condition::all({Condition::rematch_name("two"),
                         Condition::destination(*Prefix::parse("192.0.2.0/24"), Resolve::yes)}),
         kDirect);
  r.line(Condition::uid(7, 7), kReject);
  r.always(kAgain);
  const auto s = build(r);
  for (const bool known : {true, false}) {
    Flow flow("a.test");
    flow.facts.local_source = true;
    Matcher m(*s, flow.facts);
    ASSERT_EQ(m.run(), Ask::needs_address);
    const IpAddress answer[] = {*IpAddress::parse("192.0.2.1")};
    m.set_addresses(known ? std::span<const IpAddress>(answer) : std::span<const IpAddress>{});
    ASSERT_EQ(m.run(), Ask::needs_owner);
    m.set_owner({8U, {}});
    ASSERT_EQ(m.run(), Ask::decided);
    EXPECT_EQ(m.route().rule_index, known ? 1 : 3);
  }
}

// A flow that is led in a circle is refused: never DIRECT, never for ever.
TEST(Rematch, ACircleIsRefused) {
  test::Rules r;
  r.line(Condition::rematch_name("two"), kBack);
  r.line(Condition::rematch_name("three"), kAgain);
  r.always(kAgain);
  const auto s = build(r);
  const Route route = decide(*s, Flow("a.test"));
  EXPECT_EQ(route.refused, Refused::loop);
  EXPECT_EQ(route.leaf, kAgain);
  EXPECT_EQ(route.rule_index, 1);
}

TEST(Rematch, AFlowTakesAtMostSoMany) {
  test::Rules r;
  for (std::uint32_t i = 0; i < kMaxRematches + 2; ++i)
    r.line(Condition::rematch_name(std::to_string(i)), kBack + 1 + i);
  r.always(kBack + 1);
  auto many = applied(r);
  for (std::uint32_t i = 0; i < kMaxRematches + 2; ++i)
    many.manifest.outbounds.push_back(rematch("r" + std::to_string(i), std::to_string(i + 1), {}));
  const auto s = test::build(many);
  ASSERT_TRUE(s);
  const Route route = decide(**s, Flow("a.test"));
  EXPECT_EQ(route.refused, Refused::loop);
  EXPECT_EQ(route.rule_index, static_cast<std::int32_t>(kMaxRematches));
}

TEST(Rematch, ComesBeforeTheQuestionWhetherTheTargetCarriesUdp) {
  auto with = applied(walked_again());
  with.manifest.outbounds[kAgain].udp = false;
  const auto s = test::build(with);
  ASSERT_TRUE(s);
  EXPECT_EQ(decide(**s, Flow("a.example", Network::udp)).rule_index, 0);
}

// The listener's list is walked from the start, and a REMATCH without a list stays in it.
TEST(ListenerRules, StandInForTheListProper) {
  const auto s = build(walked_again());
  Flow flow("x.back.list.test");
  flow.facts.entry = 1;
  Steps trace;
  Matcher explained(*s, flow.facts, &trace);
  ASSERT_EQ(explained.run(), Ask::decided);
  EXPECT_TRUE(trace.says("listener", "the listener's rules begin with sub-rule list, line 0"));
  EXPECT_FALSE(trace.says("rematch", "to-list starts again"));
  EXPECT_TRUE(trace.says("rematch", "back starts again with the first rule"));

  Flow other("198.51.100.7");
  other.facts.entry = 1;
  const Route end = decide(*s, other);
  EXPECT_EQ(end.rule_index, -1);
  EXPECT_EQ(end.leaf, kDirect);
  EXPECT_EQ(s->unmatched(1), 1U);
  EXPECT_EQ(s->unmatched(0), 0U);
}

TEST(ListenerRules, ComeBehindTheMode) {
  auto direct = applied(walked_again());
  direct.manifest.mode = contract::Mode::direct;
  const auto s = test::build(direct);
  ASSERT_TRUE(s);
  Flow flow("x.back.list.test");
  flow.facts.entry = 1;
  EXPECT_EQ(decide(**s, flow).rule_index, -1);
}

/// Entries 1 .. n: the list "one", "two" ... each, in this order, with a line to REJECT.
test::Applied with_lists(const std::vector<std::string>& lists) {
  test::Rules r;
  r.always(kDirect);
  std::uint32_t line = 1;
  for (const std::string& list : lists) {
    r.block.begin_entry();
    r.block.place(line++, Condition::always());
    add_list(r, list, {kReject});
  }
  return r.applied();
}

TEST(ListenerRules, OfAListenerThatLeavesAreFoundByTheNameOfTheList) {
  auto first = with_lists({"one", "two"});
  first.manifest.listeners = {test::listener("stays", "127.0.0.1", 7000),
                              test::listener("stranded", "127.0.0.1", 7001)};
  first.manifest.listeners[0].rule_entry = 2;
  first.manifest.listeners[1].rule_entry = 1;
  const auto before = test::build(first);
  ASSERT_TRUE(before);
  auto second = with_lists({"two"});
  second.manifest.listeners.clear();
  const auto after = test::build(second, before->get());
  ASSERT_TRUE(after);
  ASSERT_NE((*after)->find_listener("stays"), nullptr);
  EXPECT_EQ((*after)->find_listener("stays")->rule_entry, 1U);
  EXPECT_EQ((*after)->find_listener("stranded"), nullptr) << "its rules are gone";
}

// As many listeners and lists as there may be, and long ones: a reload holds up the control thread,
// where heartbeats are judged. A search of all lists for each listener takes minutes.
TEST(ListenerRules, ManyOfListenersThatLeaveAreFoundAtOnce) {
  constexpr std::uint32_t kLists = 4'000;
  auto first = with_lists(std::vector<std::string>(kLists, "long"));
  first.manifest.rules.back().list = "last";
  first.manifest.listeners.clear();
  for (std::uint16_t i = 0; i < kMaxListeners; ++i) {
    auto& added = first.manifest.listeners.emplace_back(
        test::listener("l" + std::to_string(i), "127.0.0.1", static_cast<std::uint16_t>(7000 + i)));
    added.rule_entry = kLists;
  }
  const auto before = test::build(first);
  ASSERT_TRUE(before);
  auto second = first;
  second.manifest.listeners.clear();
  const std::clock_t begin = std::clock();
  const auto after = test::build(second, before->get());
  EXPECT_LT(std::clock() - begin, 5 * CLOCKS_PER_SEC);
  ASSERT_TRUE(after);
  for (const contract::Listener& l : first.manifest.listeners) {
    ASSERT_NE((*after)->find_listener(l.name), nullptr) << l.name;
    EXPECT_EQ((*after)->find_listener(l.name)->rule_entry, kLists);
  }
}

TEST(Rematch, OutsideTheRulesIsARefusal) {
  auto global = applied(walked_again());
  global.manifest.mode = contract::Mode::global;
  for (const auto& [target, refused] :
       {std::pair{kAgain, Refused::rematch}, std::pair{kPassRule, Refused::pass_rule}}) {
    global.manifest.global = target;
    const auto s = test::build(global);
    ASSERT_TRUE(s);
    EXPECT_EQ(decide(**s, Flow("a.test")).refused, refused);
    EXPECT_FALSE(describe(refused).empty());
  }
}

TEST(Rematch, IsToldAndCountsNothingWhenExplained) {
  const auto s = build(walked_again());
  Flow flow("x.back.list.test");
  Steps trace;
  Matcher m(*s, flow.facts, &trace);
  ASSERT_EQ(m.run(), Ask::decided);
  EXPECT_TRUE(trace.says("rule", "rule 2 (DOMAIN-SUFFIX,list.test) matches: to-list"));
  EXPECT_TRUE(trace.says("rematch", "to-list starts again with sub-rule list, line 0"));
  EXPECT_TRUE(trace.says("rule", "sub-rule list, line 0 (Inner) matches: back"));
  EXPECT_TRUE(trace.says("rematch", "back starts again with the first rule, REMATCH-NAME three"));
  EXPECT_TRUE(trace.says("rule", "rule 1 (Logic) matches: DIRECT"));
  EXPECT_EQ(s->hits(2) + s->hits(5) + s->hits(1), 0U);
}

TEST(BuildSnapshot, RefusesPassRulesAndRematchesThatCannotBe) {
  const auto refused = [](const test::Applied& a) {
    const auto built = test::build(a);
    return built ? "accepted" : built.error().place + ": " + built.error().reason;
  };
  const auto good = applied(walked_again());
  EXPECT_EQ(refused(good), "accepted");
  auto bad = good;
  bad.manifest.outbounds[kToList].rematch_entry = 2;
  EXPECT_EQ(refused(bad), "outbounds[12].rematch_entry: is no entry of the rules' block");
  bad = good;
  bad.manifest.listeners.at(0).rule_entry = 2;
  EXPECT_EQ(refused(bad), "listeners[0].rule_entry: is no entry of the rules' block");
  bad.manifest.listeners.at(0).rule_entry = 1;
  EXPECT_EQ(refused(bad), "accepted");
  bad = good;
  bad.manifest.outbounds[kAgain].rematch_name.reset();
  EXPECT_EQ(refused(bad), "outbounds[11].rematch_name: is missing, and so is rematch_entry");
  bad = good;
  bad.manifest.outbounds[kAgain].rematch_name = "\xff";
  EXPECT_EQ(refused(bad), "outbounds[11].rematch_name: must be at most 256 bytes of valid UTF-8");
  bad = good;
  bad.manifest.outbounds[kProxy].rematch_name = "two";
  EXPECT_EQ(refused(bad), "outbounds[5].rematch_name: must be absent for this kind");
  bad = good;
  bad.manifest.outbounds[kPassRule].rematch_entry = 0;
  EXPECT_EQ(refused(bad), "outbounds[9].rematch_entry: must be absent for this kind");
  bad = good;
  bad.manifest.outbounds[kPassRule].server = "a.test";
  EXPECT_EQ(refused(bad), "outbounds[9].server: must be empty for this kind");
  bad = good;
  bad.manifest.rules[7].list.clear();
  EXPECT_EQ(refused(bad), "rules[7].list: stands apart from the rest of its list");
  bad = applied(nested());
  bad.manifest.rules[8].list = "streaming";
  EXPECT_EQ(refused(bad), "rules[8].list: stands apart from the rest of its list");
}

}  // namespace
}  // namespace sluice::route
