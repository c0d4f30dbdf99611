// The indexes against the obvious way of matching, over seeded random lists and flows.
#include "proto/ruleset/match.h"

#include "tests/support/rule_lines.h"

namespace sluice::ruleset {
namespace {

using test::Line;
using test::Random;

/// What the indexes say, in the same terms as test::walk().
std::vector<std::uint32_t> answer(const View& view, const Key& key, const IpAddress& resolved,
                                  int& lookups) {
  std::vector<std::uint32_t> out;
  Match match(view, key);
  while (true) {
    const Match::Step step = match.next();
    if (step.outcome == Match::Outcome::end) return out;
    if (step.outcome == Match::Outcome::line) {
      out.push_back(step.position);
    } else {
      ++lookups;
      match.set_address(resolved);
    }
  }
}

TEST(Match, AgreesWithWalkingTheListOverRandomListsAndFlows) {
  std::size_t matched = 0;
  int asked = 0;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    Random random(seed);
    std::vector<Line> lines(random.below(seed % 8 == 0 ? 300 : 40));
    for (Line& line : lines) line = test::random_line(random);
    const auto block = test::compile(lines);
    const auto view = View::open(block);
    ASSERT_TRUE(view) << view.error().reason << " seed " << seed;
    ASSERT_EQ(view->line_count(), lines.size());
    for (int flow = 0; flow < 60; ++flow) {
      std::string name;
      const Key key = test::random_key(random, name);
      const IpAddress resolved = random.one_in(5) ? IpAddress{} : test::random_address(random);
      int expected_lookups = 0;
      int lookups = 0;
      const auto expected = test::walk(lines, key, resolved, expected_lookups);
      ASSERT_EQ(answer(*view, key, resolved, lookups), expected) << "seed " << seed << " " << name;
      ASSERT_EQ(lookups, expected_lookups) << "seed " << seed << " " << name;
      matched += expected.size();
      asked += lookups;
    }
  }
  // The lists and flows do meet: otherwise the comparison would show nothing.
  EXPECT_GT(matched, 50'000U);
  EXPECT_GT(asked, 3'000);
}

TEST(Match, AsksForAnAddressOnlyWhenAnAddressLineIsReached) {
  Builder b;
  b.domain_suffix("early.test");
  b.destination(*Prefix::parse("192.0.2.0/24"), Resolve::yes);
  b.always();
  const auto block = *b.finish();
  const auto view = View::open(block);
  ASSERT_TRUE(view);
  Match early(*view, {"www.early.test", {}, {}, 80, 0, Network::tcp, 0});
  EXPECT_EQ(early.next().position, 0U);
  Match other(*view, {"other.test", {}, {}, 80, 0, Network::tcp, 0});
  const Match::Step step = other.next();
  EXPECT_EQ(step.outcome, Match::Outcome::needs_address);
  EXPECT_EQ(step.position, 1U);
  other.set_address(IpAddress::v4(0xc0000201));
  EXPECT_EQ(other.next().position, 1U);
  EXPECT_EQ(other.next().position, 2U);
  EXPECT_EQ(other.next().outcome, Match::Outcome::end);
}

TEST(Match, ALookUpThatNobodyAnswersCountsAsFailed) {
  Builder b;
  b.destination(*Prefix::parse("0.0.0.0/0"), Resolve::yes);
  b.destination(*Prefix::parse("::/0"), Resolve::yes);
  b.always();
  const auto block = *b.finish();
  const auto view = View::open(block);
  Match match(*view, {"a.test", {}, {}, 80, 0, Network::tcp, 0});
  EXPECT_EQ(match.next().outcome, Match::Outcome::needs_address);
  EXPECT_EQ(match.next().position, 2U);
  match.set_address(IpAddress::v4(1));  // too late: it is settled
  EXPECT_EQ(match.next().outcome, Match::Outcome::end);
}

// no-resolve lines before the one that asks stay unmatched, later ones see the address.
TEST(Match, AddressCountsFromTheLineThatAskedOn) {
  Builder b;
  b.destination(*Prefix::parse("192.0.2.0/24"), Resolve::no);
  b.destination(*Prefix::parse("198.51.100.0/24"), Resolve::yes);
  b.destination(*Prefix::parse("192.0.2.0/24"), Resolve::no);
  const auto block = *b.finish();
  const auto view = View::open(block);
  Match match(*view, {"a.test", {}, {}, 80, 0, Network::tcp, 0});
  EXPECT_EQ(match.next().position, 1U);
  match.set_address(IpAddress::v4(0xc0000207));
  EXPECT_EQ(match.next().position, 2U);
}

// An index whose first line stands behind the answer is not asked.
TEST(Match, LaterIndexesAreNotAsked) {
  struct Counter final : Observer {
    int count = 0;
    void asked(Index, std::uint32_t, std::uint32_t, std::uint64_t) noexcept override { ++count; }
    void tested(std::uint32_t, Truth, std::uint32_t, bool, std::uint64_t) noexcept override {}
    void disabled(std::uint32_t) noexcept override {}
  } counter;
  Builder b;
  b.domain("a.test");
  b.domain_keyword("test");
  b.network(Network::tcp);
  b.always();
  const auto block = *b.finish();
  const auto view = View::open(block);
  Match match(*view, {"a.test", {}, {}, 80, 0, Network::tcp, 0}, {nullptr, nullptr, &counter});
  EXPECT_EQ(match.next().position, 0U);
  EXPECT_EQ(counter.count, 1);
}

// What the user id settles needs no helper.
TEST(Match, TheProcessIsAskedForWhenTheUserIdLeavesItOpen) {
  Builder b;
  b.line(Condition::all({Condition::uid(1000, 1000), Condition::process_name("curl")}));
  const auto block = *b.finish();
  const auto view = View::open(block);
  Key key{"a.test", {}, {}, 80, 0, Network::tcp, 0};
  key.owner.uid_known = key.owner.process_known = Known::no;
  for (const std::uint32_t uid : {1000U, 2000U}) {
    Match match(*view, key);
    Match::Step step = match.next();
    ASSERT_EQ(step.outcome, Match::Outcome::needs_owner);
    EXPECT_FALSE(step.process);
    match.set_owner({Known::yes, Known::no, uid, {}});
    step = match.next();
    EXPECT_EQ(step.outcome == Match::Outcome::needs_owner && step.process, uid == 1000);
  }
}

TEST(Match, AnEmptyListMatchesNothing) {
  const auto block = *Builder{}.finish();
  const auto view = View::open(block);
  ASSERT_TRUE(view);
  Match match(*view, {"a.test", {}, {}, 80, 0, Network::tcp, 0});
  EXPECT_EQ(match.next().outcome, Match::Outcome::end);
  const View none;
  Match unopened(none, {"a.test", {}, {}, 80, 0, Network::tcp, 0});
  EXPECT_EQ(unopened.next().outcome, Match::Outcome::end);
}

}  // namespace
}  // namespace sluice::ruleset
