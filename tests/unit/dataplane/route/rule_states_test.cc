// What users see of their lines, and what a reload keeps of it.
#include "dataplane/route/rule_states.h"

#include <algorithm>

#include "dataplane/route/matcher.h"
#include "dataplane/route/same_lines.h"
#include "proto/common/clock.h"
#include "tests/unit/dataplane/route/manifests.h"

namespace sluice::route {
namespace {

using ruleset::Condition;

void decide(const Snapshot& s, const std::string& host, int times = 1) {
  const Destination to = *Destination::from_host(host, 443);
  FlowFacts facts;
  facts.destination = &to;
  facts.source = *Endpoint::parse("192.0.2.9:5000");
  for (int i = 0; i < times; ++i) {
    Matcher m(s, facts);
    ASSERT_EQ(m.run(), Matcher::Ask::decided);
  }
}

std::unique_ptr<const Snapshot> snapshot_of(const test::Applied& applied,
                                            const Snapshot* previous = nullptr) {
  auto built = test::build(applied, previous);
  EXPECT_TRUE(built) << (built ? "" : built.error().reason);
  return std::move(*built);
}

//  0 a.test   1 SUB-RULE (3 b.test, 4 c.test)   2 d.test
test::Rules sample() {
  test::Rules r;
  r.suffix("a.test", 5);
  r.block.begin_group();
  r.block.place(3, Condition::domain_suffix("b.test"));
  r.block.place(4, Condition::domain_suffix("c.test"));
  r.block.end_group();
  r.group();
  r.suffix("d.test", 5);
  r.lines.push_back({"DomainSuffix", "b.test", 5, 0, "list"});
  r.lines.push_back({"DomainSuffix", "c.test", 5, 1, "list"});
  return r;
}

TEST(RuleStates, MissesAreTheDecisionsThatEndedBelow) {
  const auto s = snapshot_of(sample().applied());
  const std::int64_t before = wall_seconds();
  decide(*s, "a.test", 5);
  decide(*s, "b.test", 1);
  decide(*s, "c.test", 2);
  decide(*s, "d.test", 4);
  decide(*s, "e.example", 3);
  const auto states = rule_states(*s);
  EXPECT_EQ(states.generation, 1U);
  EXPECT_EQ(states.unmatched, 3U);
  ASSERT_EQ(states.lines.size(), 5U);
  const auto line = [&](std::size_t i) {
    return std::pair(states.lines[i].hits, states.lines[i].misses);
  };
  EXPECT_EQ(line(0), std::pair(5U, std::uint64_t{10}));
  EXPECT_EQ(line(1), std::pair(3U, std::uint64_t{7}));
  EXPECT_EQ(line(2), std::pair(4U, std::uint64_t{3}));
  EXPECT_EQ(line(3), std::pair(1U, std::uint64_t{2}));
  EXPECT_EQ(line(4), std::pair(2U, std::uint64_t{0}));
  EXPECT_GE(states.lines[0].last_hit_s, before);
  EXPECT_LE(states.lines[0].last_hit_s, wall_seconds());
  EXPECT_EQ(snapshot_of(sample().applied())->last_hit(0), 0U);
}

// Of a list that a REMATCH leads to, what came to its end ended below all of its lines.
TEST(RuleStates, TheEndOfAnotherListIsBelowItsLines) {
  test::Rules r;
  r.always(9);
  r.block.begin_entry();
  r.block.place(1, Condition::domain_suffix("a.test"));
  r.block.place(2, Condition::domain_suffix("b.test"));
  r.lines.push_back({"DomainSuffix", "a.test", 5, 0, "list"});
  r.lines.push_back({"DomainSuffix", "b.test", 5, 1, "list"});
  auto applied = r.applied();
  applied.manifest.outbounds.push_back(
      test::outbound("to-list", contract::OutboundKind::rematch, "Rematch"));
  applied.manifest.outbounds.back().rematch_entry = 1;
  const auto s = snapshot_of(applied);
  decide(*s, "b.test", 2);
  decide(*s, "c.test", 3);
  const auto states = rule_states(*s);
  EXPECT_EQ(states.lines[0].hits, 5U);
  EXPECT_EQ(states.unmatched, 0U);
  EXPECT_EQ(states.lines[1].misses, 5U);
  EXPECT_EQ(states.lines[2].hits, 2U);
  EXPECT_EQ(states.lines[2].misses, 3U);
}

TEST(SwitchRules, AllOrNothingAndOfThisGeneration) {
  const auto s = snapshot_of(sample().applied());
  const auto place = [&](const contract::RuleSwitches& switches) {
    const auto refused = switch_rules(*s, switches);
    return refused ? refused->place : "";
  };
  EXPECT_EQ(place({1, {{0, true}, {5, true}}}), "lines[1].index");
  EXPECT_FALSE(s->disabled(0));
  EXPECT_EQ(place({2, {{0, true}}}), "generation");
  EXPECT_FALSE(s->disabled(0));
  EXPECT_EQ(place({1, {{0, true}, {2, true}, {2, false}}}), "");
  EXPECT_TRUE(s->disabled(0));
  EXPECT_FALSE(s->disabled(2));
  EXPECT_TRUE(rule_states(*s).lines[0].disabled);
  decide(*s, "a.test");
  EXPECT_EQ(s->hits(0), 0U);
}

// The list was edited: a line went, one came in front, one got another target.
TEST(BuildSnapshot, KeepsCountsAndSwitchesOfLinesThatStay) {
  test::Rules before;
  before.suffix("gone.test", 5);
  before.suffix("stays.test", 5);
  before.suffix("moves.test", 5);
  before.suffix("twice.test", 2);
  before.suffix("twice.test", 2);
  before.suffix("x.test", 5);
  const auto old = snapshot_of(before.applied());
  decide(*old, "gone.test", 1);
  decide(*old, "stays.test", 2);
  decide(*old, "moves.test", 3);
  decide(*old, "x.test", 4);
  decide(*old, "nothing.example", 6);
  ASSERT_TRUE(old->set_disabled(2, true));
  ASSERT_TRUE(old->set_disabled(4, true));

  test::Rules after;
  after.suffix("new.test", 5);
  after.suffix("twice.test", 2);
  after.suffix("stays.test", 5);
  after.suffix("x.test", 1);  // another target: another line
  after.suffix("twice.test", 2);
  after.suffix("moves.test", 5);
  const auto now = snapshot_of(after.applied(), old.get());
  const auto states = rule_states(*now);
  EXPECT_EQ(states.unmatched, 6U);
  const std::vector<std::uint32_t> hits{0, 0, 2, 0, 0, 3};
  const std::vector<bool> off{false, false, false, false, true, true};
  for (std::size_t i = 0; i < hits.size(); ++i) {
    EXPECT_EQ(states.lines[i].hits, hits[i]) << i;
    EXPECT_EQ(states.lines[i].disabled, off[i]) << i;
    EXPECT_EQ(states.lines[i].last_hit_s != 0, hits[i] != 0) << i;
  }
}

TEST(SameLines, AgreesWithLookingForEachLine) {
  std::uint64_t state = 1;
  const auto below = [&state](std::uint64_t bound) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return static_cast<std::uint32_t>((state >> 33U) % bound);
  };
  const auto random_manifest = [&] {
    contract::Manifest m = test::base().manifest;
    for (std::uint32_t i = below(20); i > 0; --i)
      m.rules.push_back({below(2) == 0 ? "A" : "B", below(3) == 0 ? "x" : "y", below(2), 0,
                         below(2) == 0 ? "" : "list"});
    return m;
  };
  std::size_t found = 0;
  for (int turn = 0; turn < 2'000; ++turn) {
    const contract::Manifest a = random_manifest();
    const contract::Manifest b = random_manifest();
    const auto equal = [](contract::RuleLine x, contract::RuleLine y) {
      x.number = y.number = 0;
      return x == y;
    };
    std::vector<std::pair<std::uint32_t, std::uint32_t>> naive;
    std::vector<bool> used(a.rules.size());
    for (std::uint32_t j = 0; j < b.rules.size(); ++j) {
      for (std::uint32_t i = 0; i < a.rules.size(); ++i) {
        if (used[i] || !equal(a.rules[i], b.rules[j])) continue;
        used[i] = true;
        naive.emplace_back(i, j);
        break;
      }
    }
    std::vector<std::pair<std::uint32_t, std::uint32_t>> same;
    for (const SameLine& line : same_lines(a, b)) same.emplace_back(line.before, line.now);
    std::ranges::sort(same, {}, [](const auto& pair) { return pair.second; });
    ASSERT_EQ(same, naive) << turn;
    found += same.size();
  }
  EXPECT_GT(found, 2'000U);
}

}  // namespace
}  // namespace sluice::route
