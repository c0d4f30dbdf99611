// Patterns, sizes, times and refusals: what random lists do not show.
#include <set>

#include "proto/ruleset/bounds.h"
#include "proto/ruleset/describe.h"
#include "proto/ruleset/program_writer.h"
#include "proto/ruleset/triggers.h"
#include "tests/support/rule_lines.h"

namespace sluice::ruleset {
namespace {

struct Built {
  std::vector<std::byte> block;
  View view;
  Patterns patterns;
};

Built open(Builder& builder) {
  Built out;
  out.block = *builder.finish();
  auto view = View::open(out.block);
  EXPECT_TRUE(view) << (view ? "" : std::string(view.error().reason));
  if (!view) return out;
  out.view = *view;
  auto patterns = Patterns::compile(out.view.patterns());
  EXPECT_TRUE(patterns);
  if (patterns) out.patterns = std::move(*patterns);
  return out;
}

std::uint32_t first_line(const Built& built, const Key& key) {
  Match match(built.view, key, {&built.patterns, nullptr, nullptr});
  const Match::Step step = match.next();
  return step.outcome == Match::Outcome::line ? built.view.slot(step.position).line : kNone;
}

Key named(std::string_view name) {
  Key key;
  key.name = name;
  return key;
}

TEST(Patterns, TheEngineIsLinearWhereItCanBe) {
  EXPECT_EQ(check_pattern("^ads[0-9]+\\.").value(), Engine::linear);
  EXPECT_EQ(check_pattern("^(?!ads)").value(), Engine::backtracking);
  EXPECT_EQ(check_pattern("(a)\\1").value(), Engine::backtracking);
  EXPECT_EQ(check_pattern("(").error().code, Errc::malformed);
  EXPECT_EQ(check_pattern(std::string(kMaxPattern_bytes + 1, 'a')).error().code, Errc::too_large);
}

TEST(Patterns, LiteralsAreThoseThatEveryMatchHolds) {
  EXPECT_EQ(necessary_literals("^ADS[0-9]+\\.test"), std::vector<std::string>{".test"});
  EXPECT_EQ(necessary_literals("shop.*tracker"), std::vector<std::string>{"tracker"});
  const auto either = necessary_literals("(alpha|beta)[0-9]");
  EXPECT_EQ(std::set<std::string>(either.begin(), either.end()),
            (std::set<std::string>{"alpha", "beta"}));
  EXPECT_TRUE(necessary_literals("[a-z]+").empty());
}

// 2^40 ways to fail: the limit ends it.
TEST(Patterns, ABacktrackingPatternIsCutOff) {
  Builder b;
  b.line(Condition::domain_regex("^(?!x)(a+)+$"));
  const Built built = open(b);
  EXPECT_EQ(first_line(built, named("aaaa")), 0U);
  std::string long_name(40, 'a');
  long_name.push_back('b');
  EXPECT_EQ(first_line(built, named(long_name)), kNone);
}

// What patterns cost is bounded over all lists together.
TEST(Patterns, WhatPassesTheBoundsIsLeftOutAndNothingElse) {
  Builder b;
  const SetId set = b.add_set();
  for (std::uint32_t i = 0; i < 5'000; ++i)
    b.add(set, Condition::domain_regex("^lit" + std::to_string(i) + "eral[0-9]+\\.test$"));
  b.line(Condition::in_set(set, Resolve::no));
  b.line(Condition::domain_suffix("plain.test"));
  const Built built = open(b);
  EXPECT_GT(b.left_out().count, 1'000U);
  EXPECT_LT(b.left_out().count, 2'000U);
  EXPECT_TRUE(b.left_out().first.starts_with("DOMAIN-REGEX ^lit"));
  EXPECT_EQ(first_line(built, named("lit7eral3.test")), 0U);
  EXPECT_EQ(first_line(built, named("a.plain.test")), 1U);
}

// Conditions that stand at thousands of positions are refused while they are written.
TEST(Programs, TogetherTheyTakeNoMoreBytesThanABlockHas) {
  class NoSets final : public ProgramWriter::SetNumbers {
   public:
    std::uint32_t number_of(const Condition&) override { return 0; }
  } sets;
  const Condition two =
      Condition::all({Condition::network(Network::tcp), Condition::network(Network::udp)});
  constexpr std::uint64_t kNodes = 3;
  ProgramWriter writer(0, sets, 2 * kNodes * Node::kBytes);
  EXPECT_TRUE(writer.add(0, two));
  EXPECT_TRUE(writer.add(1, two));
  const Status third = writer.add(2, two);
  ASSERT_FALSE(third);
  EXPECT_EQ(third.error().code, Errc::too_large);
}

TEST(Patterns, ThoseThatRunForTheSameFlowsAreFew) {
  Builder anywhere;
  SetId set = anywhere.add_set();
  for (std::uint32_t i = 0; i < 1'500; ++i)
    anywhere.add(set, Condition::domain_regex("[a-c]{" + std::to_string(1 + i % 30) + "}[d-f]{" +
                                              std::to_string(1 + i / 30) + "}$"));
  anywhere.line(Condition::in_set(set, Resolve::no));
  open(anywhere);
  EXPECT_EQ(anywhere.left_out().count, 1'500 - kMaxSteps);

  Builder literal;
  set = literal.add_set();
  for (std::uint32_t i = 0; i < 1'500; ++i)
    literal.add(set, Condition::domain_regex("com" + std::string(1 + i % 9, '.') + "[" +
                                             std::to_string(i) + "]?$"));
  literal.line(Condition::in_set(set, Resolve::no));
  open(literal);
  EXPECT_GT(literal.left_out().count, 0U);

  Builder slow;
  set = slow.add_set();
  for (std::uint32_t i = 0; i < 20; ++i)
    slow.add(set, Condition::domain_regex("^(?!a)[b-d]{" + std::to_string(i + 1) + "}$"));
  slow.line(Condition::in_set(set, Resolve::no));
  open(slow);
  EXPECT_EQ(slow.left_out().count, 20 - kMaxSteps / kBacktracking_steps);
}

// How many lines use a list is the user's choice.
TEST(Patterns, OneThatManyLinesUseTakesItsStepsOnce) {
  Builder b;
  for (std::uint32_t i = 0; i < 20; ++i)
    b.line(Condition::all({Condition::negate(Condition::domain("n" + std::to_string(i) + ".test")),
                           Condition::domain_regex("^(?!a)b")}));
  const Built built = open(b);
  EXPECT_EQ(b.left_out().count, 0U);
  EXPECT_EQ(first_line(built, named("b.test")), 0U);
}

TEST(Patterns, ThoseThatBacktrackAreFew) {
  Builder b;
  for (std::uint32_t i = 0; i < kMaxBacktracking + 10; ++i)
    b.line(Condition::all({Condition::domain("n" + std::to_string(i) + ".test"),
                           Condition::domain_regex("^(?!a)n" + std::to_string(i))}));
  const Built built = open(b);
  EXPECT_EQ(b.left_out().count, 10U);
  EXPECT_EQ(first_line(built, named("n7.test")), 7U);
}

TEST(Patterns, AnyCaseIsTheSame) {
  Builder b;
  b.line(Condition::domain_regex("TRACK(ER|ING)"));
  const Built built = open(b);
  EXPECT_EQ(first_line(built, named("tracker.test")), 0U);
  EXPECT_EQ(first_line(built, named("track.test")), kNone);
}

TEST(Builder, RefusesWhatCannotBe) {
  Builder pattern;
  pattern.line(Condition::domain_regex("("));
  EXPECT_EQ(pattern.finish().error().code, Errc::malformed);
  Builder set;
  set.line(Condition::in_set({3}, Resolve::no));
  EXPECT_EQ(set.finish().error().code, Errc::malformed);
  Builder group;
  group.begin_group();
  EXPECT_EQ(group.finish().error().code, Errc::malformed);
  Builder loose;
  loose.place(3, Condition::always());
  EXPECT_EQ(loose.finish().error().code, Errc::malformed);
  Builder late;  // the list proper is complete
  late.begin_entry();
  late.always();
  EXPECT_EQ(late.finish().error().code, Errc::malformed);
  Builder towers;
  towers.begin_group();
  for (std::uint32_t i = 0; i < kMaxDepth; ++i) towers.begin_group(1);
  for (std::uint32_t i = 0; i <= kMaxDepth; ++i) towers.end_group();
  EXPECT_EQ(towers.finish().error().code, Errc::malformed);
  Builder zone;
  zone.line(Condition::time({0x7f, 0, 60, {7}}));
  EXPECT_EQ(zone.finish().error().code, Errc::malformed);
  Condition deep = Condition::all({Condition::domain_regex("a"), Condition::domain_regex("b")});
  for (std::uint32_t i = 0; i < kMaxDepth; ++i)
    deep = i % 2 == 0 ? Condition::any({std::move(deep), Condition::domain_regex("c")})
                      : Condition::all({std::move(deep), Condition::domain_regex("d")});
  Builder nested;
  nested.line(deep);
  EXPECT_EQ(nested.finish().error().code, Errc::malformed);
}

// The budget: 100,000 names in 2.5 MiB, 100,000 v4 prefixes in 1 MiB.
TEST(Builder, EntriesOfOneSetShareTheirList) {
  test::Random random(3);
  Builder names;
  const SetId of_names = names.add_set();
  for (std::uint32_t i = 0; i < 20'000; ++i)
    names.domain_suffix(of_names, "n" + std::to_string(i * 7919) + ".example");
  for (int use = 0; use < 5; ++use) names.line(Condition::in_set(of_names, Resolve::no));
  EXPECT_LT(names.finish()->size(), 20'000U * 26);

  Builder prefixes;
  const SetId of_prefixes = prefixes.add_set();
  for (std::uint32_t i = 0; i < 100'000; ++i)
    prefixes.destination(of_prefixes,
                         Prefix::of(IpAddress::v4(static_cast<std::uint32_t>(random.next())), 30));
  prefixes.line(Condition::in_set(of_prefixes, Resolve::no));
  prefixes.line(Condition::all(
      {Condition::in_set(of_prefixes, Resolve::no), Condition::network(Network::udp)}));
  EXPECT_LT(prefixes.finish()->size(), 1U << 20U);
}

// 2024-03-31 01:00 UTC: Central Europe goes from +1 to +2.
TEST(Time, FollowsTheZoneAndTheDayOnWhichItBegan) {
  Builder b;
  const ZoneId zone = b.add_zone({3'600, {{1'711'846'800, 7'200}}});
  constexpr std::uint8_t kSaturday = 1U << 6U;
  b.line(Condition::time({kSaturday, 22 * 60, 6 * 60, zone}));
  const Built built = open(b);
  const auto at = [&](std::int64_t utc) {
    Key key;
    key.utc_seconds = utc;
    return first_line(built, key) == 0;
  };
  constexpr std::int64_t kMidnight = 1'711'839'600;  // Sunday 00:00 local
  EXPECT_FALSE(at(kMidnight - 2 * 3'600 - 1));
  EXPECT_TRUE(at(kMidnight - 2 * 3'600));
  EXPECT_TRUE(at(kMidnight + 3'600));
  EXPECT_TRUE(at(kMidnight + 5 * 3'600 - 1));  // 05:59:59, an hour of the night was skipped
  EXPECT_FALSE(at(kMidnight + 5 * 3'600));
}

TEST(Time, IsDescribedWithItsDaysAndTheClockThatItLooksAt) {
  Builder b;
  const ZoneId zone = b.add_zone({3'600, {{1'711'846'800, 7'200}}});
  b.line(Condition::all(
      {Condition::time({0x3e, 22 * 60, 6 * 60, zone}), Condition::network(Network::tcp)}));
  b.line(Condition::all({Condition::time({0x7f, 0, 1440, b.add_zone({-12'600, {}})}),
                         Condition::network(Network::tcp)}));
  const Built built = open(b);
  std::vector<std::string> said;
  for (const std::uint32_t position : {0U, 1U}) {
    const std::uint32_t root = built.view.programs().root(position);
    EXPECT_EQ(describe_clock(built.view, root, 0), "") << "of AND";
    for (std::uint32_t i = root + 1; i < root + 3; ++i) {
      if (built.view.programs().node(i).op != Op::time) continue;
      said.push_back(describe_node(built.view, i));
      said.push_back(describe_clock(built.view, i, 1'711'846'800));
    }
  }
  EXPECT_EQ(said, (std::vector<std::string>{
                      "TIME mon+tue+wed+thu+fri 22:00-06:00",
                      "it is sun 03:00 there, UTC+02:00",
                      "TIME daily 00:00-24:00",
                      "it is sat 21:30 there, UTC-03:30",
                  }));
}

TEST(Triggers, TheRarestPartLeads) {
  const auto rare =
      triggers_of(Condition::all({Condition::network(Network::tcp), Condition::domain("a.test")}));
  ASSERT_EQ(rare.atoms.size(), 1U);
  EXPECT_EQ(rare.atoms[0].op, Op::domain);
  const auto none = triggers_of(Condition::negate(Condition::domain("a.test")));
  ASSERT_EQ(none.atoms.size(), 1U);
  EXPECT_EQ(none.atoms[0].op, Op::always);
  EXPECT_TRUE(triggers_of(Condition::process_name("curl")).owner);
}

TEST(Describe, NamesTheTestAsUsersWriteIt) {
  Builder b;
  const PortRange ports[] = {{80, 90}};
  b.line(Condition::all({Condition::destination_ports(ports), Condition::domain_suffix("a.test")}));
  const Built built = open(b);
  const std::uint32_t root = built.view.programs().root(0);
  EXPECT_EQ(describe_node(built.view, root), "AND");
  EXPECT_EQ(describe_node(built.view, root + 1), "DST-PORT 80-90");
  EXPECT_EQ(describe_node(built.view, root + 2), "DOMAIN-SUFFIX a.test");
}

}  // namespace
}  // namespace sluice::ruleset
