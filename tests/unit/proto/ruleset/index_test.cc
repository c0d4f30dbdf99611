// Each index by itself, at the sizes and corners that random lists do not reach.
#include "proto/ruleset/bounds.h"
#include "tests/support/rule_lines.h"

namespace sluice::ruleset {
namespace {

struct Built {
  std::vector<std::byte> block;
  View view;
};

Built open(Builder& builder) {
  Built out;
  out.block = *builder.finish();
  const auto view = View::open(out.block);
  EXPECT_TRUE(view) << (view ? "" : std::string(view.error().reason));
  if (view) out.view = *view;
  return out;
}

std::uint32_t first_keyword(const View& view, std::string_view name) {
  KeywordIndex::Found found;
  view.keywords().find(name, found);
  return view.keywords().next(found, name, 0);
}

std::uint32_t first_name(const View& view, std::string_view name) {
  return view.names().next(view.names().find(name), 0);
}

TEST(NameIndex, FindsEveryNameOfALargeListAndNoOther) {
  Builder b;
  constexpr std::uint32_t kCount = 20'000;
  for (std::uint32_t i = 0; i < kCount; ++i)
    b.domain_suffix("n" + std::to_string(i * 7919) + ".example.test");
  const Built built = open(b);
  EXPECT_EQ(built.view.names().name_count(), kCount);
  for (std::uint32_t i = 0; i < kCount; ++i) {
    const std::string name = "n" + std::to_string(i * 7919) + ".example.test";
    EXPECT_EQ(first_name(built.view, name), i);
    EXPECT_EQ(first_name(built.view, "www." + name), i);
    EXPECT_EQ(first_name(built.view, "x" + name), kNone);
  }
  EXPECT_EQ(first_name(built.view, "example.test"), kNone);
}

TEST(NameIndex, ExactLinesDoNotReachBelow) {
  Builder b;
  b.domain("a.test");         // 0
  b.domain_suffix("test");    // 1
  b.domain("b.a.test");       // 2
  b.domain_suffix("a.test");  // 3
  const Built built = open(b);
  const auto& names = built.view.names();
  const auto all = [&](std::string_view name) {
    std::vector<std::uint32_t> out;
    const auto found = names.find(name);
    for (std::uint32_t at = names.next(found, 0); at != kNone; at = names.next(found, at + 1))
      out.push_back(at);
    return out;
  };
  EXPECT_EQ(all("a.test"), (std::vector<std::uint32_t>{0, 1, 3}));
  EXPECT_EQ(all("b.a.test"), (std::vector<std::uint32_t>{1, 2, 3}));
  EXPECT_EQ(all("c.a.test"), (std::vector<std::uint32_t>{1, 3}));
  EXPECT_EQ(all("test"), (std::vector<std::uint32_t>{1}));
  EXPECT_EQ(all("atest"), (std::vector<std::uint32_t>{}));
}

// Every label length takes another path through the hash; lengths beside a hit must miss.
TEST(NameIndex, EveryLabelLengthIsFound) {
  Builder b;
  for (std::size_t size = 1; size <= 63; ++size) b.domain(std::string(size, 'a') + ".t");
  const Built built = open(b);
  for (std::size_t size = 1; size <= 63; ++size) {
    std::string name = std::string(size, 'a') + ".t";
    EXPECT_EQ(first_name(built.view, name), size - 1);
    name[size / 2] = 'b';
    EXPECT_EQ(first_name(built.view, name), kNone) << size;
  }
}

TEST(NameIndex, TheLongestNameHas127Labels) {
  std::string name = "a";
  while (name.size() + 2 <= kMaxName) name += ".a";
  ASSERT_EQ(name.size(), 253U);
  Builder b;
  b.domain(name);
  b.domain_suffix(name.substr(4));
  b.domain_suffix("a");
  const Built built = open(b);
  const auto found = built.view.names().find(name);
  EXPECT_EQ(built.view.names().next(found, 0), 0U);
  EXPECT_EQ(built.view.names().next(found, 1), 1U);
  EXPECT_EQ(built.view.names().next(found, 2), 2U);
}

/// Names whose homes agree in the upper 12 bits when this seed hashes them.
std::vector<std::string> aimed_names(std::uint64_t seed, std::size_t count) {
  std::vector<std::string> out;
  for (std::uint32_t i = 0; out.size() < count; ++i) {
    const std::string name = "n" + std::to_string(i) + ".test";
    const SuffixHashes hashes(name, seed);
    if (hashes.hash[1] >> 52U == 0x123) out.push_back(name);
  }
  return out;
}

// Where the seed is known, so few names make any table grow until they fit, or for ever.
TEST(NameIndex, NamesAimedAtOneBucketDoNotGrowTheTable) {
  const auto names = aimed_names(0x736c756963650001ULL, 130);
  Builder b;
  for (const std::string& name : names) b.domain(name);
  const Built built = open(b);
  EXPECT_EQ(b.left_out().count, 0U);
  EXPECT_LT(built.block.size(), 8'192U);
  for (std::uint32_t i = 0; i < names.size(); ++i) EXPECT_EQ(first_name(built.view, names[i]), i);
}

TEST(NameIndex, TheSeedDependsOnEveryName) {
  const auto seed_of = [](std::string_view last) {
    Builder b;
    for (int i = 0; i < 50; ++i) b.domain("n" + std::to_string(i) + ".test");
    b.domain(last);
    const auto block = *b.finish();
    return load_u64(block.data() + load_u32(block.data() + kHeader_bytes + 8));
  };
  EXPECT_EQ(seed_of("x.test"), seed_of("x.test"));
  EXPECT_NE(seed_of("x.test"), seed_of("y.test"));
}

TEST(NameIndex, NamesNotInNormalFormNeverMatch) {
  Builder b;
  b.domain("UPPER.test");
  b.domain_suffix("");
  b.domain_suffix(".dot");
  b.domain(std::string(300, 'a'));
  const Built built = open(b);
  EXPECT_EQ(built.view.line_count(), 4U);
  EXPECT_EQ(built.view.first_ref(Index::names), kNone);
}

TEST(PrefixIndex, AnswersAreThoseOfEveryNestedPrefix) {
  Builder b;
  b.source(*Prefix::parse("10.0.0.0/8"));       // 0
  b.source(*Prefix::parse("10.7.0.0/16"));      // 1
  b.source(*Prefix::parse("0.0.0.0/0"));        // 2
  b.source(*Prefix::parse("10.0.0.0/8"));       // 3
  b.source(*Prefix::parse("255.255.255.255"));  // 4
  b.source(*Prefix::parse("2001:db8::/32"));    // 5
  b.source(*Prefix::parse("2001:db8::1"));      // 6
  b.source(*Prefix::parse("::/0"));             // 7
  const Built built = open(b);
  const auto all = [&](std::string_view text) {
    const IpAddress ip = *IpAddress::parse(text);
    Match match(built.view, {"", {}, ip, 0, 0, Network::tcp, 0});
    std::vector<std::uint32_t> out;
    for (auto s = match.next(); s.outcome == Match::Outcome::line; s = match.next())
      out.push_back(s.position);
    return out;
  };
  EXPECT_EQ(all("10.7.1.1"), (std::vector<std::uint32_t>{0, 1, 2, 3}));
  EXPECT_EQ(all("10.8.0.0"), (std::vector<std::uint32_t>{0, 2, 3}));
  EXPECT_EQ(all("9.255.255.255"), (std::vector<std::uint32_t>{2}));
  EXPECT_EQ(all("255.255.255.255"), (std::vector<std::uint32_t>{2, 4}));
  EXPECT_EQ(all("255.255.255.254"), (std::vector<std::uint32_t>{2}));
  EXPECT_EQ(all("2001:db8::1"), (std::vector<std::uint32_t>{5, 6, 7}));
  EXPECT_EQ(all("2001:db9::"), (std::vector<std::uint32_t>{7}));
  // B029: a mapped address is v4.
  EXPECT_EQ(all("::ffff:10.7.0.1"), (std::vector<std::uint32_t>{0, 1, 2, 3}));
}

TEST(PrefixIndex, LargeListsAgreeWithTestingEveryPrefix) {
  test::Random random(23);
  Builder b;
  std::vector<Prefix> prefixes;
  for (int i = 0; i < 3'000; ++i) {
    prefixes.push_back(
        Prefix::of(IpAddress::v4(static_cast<std::uint32_t>(random.next())), 8 + random.below(25)));
    b.source(prefixes.back());
  }
  const Built built = open(b);
  for (int i = 0; i < 3'000; ++i) {
    // Half of the addresses lie on an edge of some prefix.
    IpAddress ip = IpAddress::v4(static_cast<std::uint32_t>(random.next()));
    if (i % 2 == 0)
      ip = IpAddress::v4(prefixes[random.below(3'000)].base.v4_value() - random.below(2));
    std::uint32_t expected = kNone;
    for (std::uint32_t p = 0; p < prefixes.size() && expected == kNone; ++p)
      if (prefixes[p].contains(ip)) expected = p;
    const auto& index = built.view.prefixes32(Index::source_v4);
    EXPECT_EQ(index.next(index.find(ip.v4_value()), 0), expected) << ip.to_string();
  }
}

TEST(Ports, EveryRangeHoldsItsPortsAndNoOther) {
  test::Random random(29);
  for (int round = 0; round < 60; ++round) {
    const auto ranges = test::random_ports(random);
    Builder b;
    b.destination_ports(ranges);
    const Built built = open(b);
    const auto& index = built.view.prefixes32(Index::destination_port);
    for (std::uint32_t port = 0; port < 65536; ++port) {
      const bool in = std::ranges::any_of(
          ranges, [port](const PortRange& r) { return r.first <= port && port <= r.last; });
      const auto key = port_key(static_cast<std::uint16_t>(port));
      ASSERT_EQ(index.next(index.find(key), 0) == 0, in) << port;
    }
  }
}

TEST(Ports, NoRangeAndAReversedOneMatchNothing) {
  Builder b;
  b.destination_ports({});
  const PortRange reversed[] = {{9, 8}};
  b.source_ports(reversed);
  const Built built = open(b);
  EXPECT_EQ(built.view.first_ref(Index::destination_port), kNone);
  EXPECT_EQ(built.view.first_ref(Index::source_port), kNone);
}

TEST(KeywordIndex, KeywordsInsideEachOtherAllReport) {
  Builder b;
  b.domain_keyword("sher");  // 0
  b.domain_keyword("HE");    // 1: upper case is the same
  b.domain_keyword("she");   // 2
  b.domain_keyword("hers");  // 3
  b.domain_keyword("a.b");   // 4
  b.domain_keyword("");      // 5: never
  b.domain_keyword("a b");   // 6: no name has a blank
  b.domain_keyword("he");    // 7
  const Built built = open(b);
  const auto all = [&](std::string_view name) {
    std::vector<std::uint32_t> out;
    const auto& index = built.view.keywords();
    KeywordIndex::Found found;
    index.find(name, found);
    for (std::uint32_t at = index.next(found, name, 0); at != kNone;
         at = index.next(found, name, at + 1))
      out.push_back(at);
    return out;
  };
  EXPECT_EQ(all("ushers.test"), (std::vector<std::uint32_t>{0, 1, 2, 3, 7}));
  EXPECT_EQ(all("she"), (std::vector<std::uint32_t>{1, 2, 7}));
  EXPECT_EQ(all("a.b.test"), (std::vector<std::uint32_t>{4}));
  EXPECT_EQ(all("ab.test"), (std::vector<std::uint32_t>{}));
  EXPECT_EQ(all("s-h-e"), (std::vector<std::uint32_t>{}));
}

TEST(KeywordIndex, AllBytesOfNamesFitTheClasses) {
  Builder b;
  std::string legal;
  for (int c = 1; c < 256; ++c) {
    const std::string one(1, static_cast<char>(c));
    if (c == '.' || is_normal_name(one)) legal += one;
  }
  ASSERT_LE(legal.size(), KeywordIndex::kClasses);
  for (const char c : legal) b.domain_keyword(std::string(1, c));
  const Built built = open(b);
  for (std::uint32_t i = 0; i < legal.size(); ++i)
    EXPECT_EQ(first_keyword(built.view, std::string(1, legal[i])), i);
}

// Keywords that all end at the same byte: one list for it, and not one for each of them.
TEST(KeywordIndex, KeywordsThatEndTogetherShareOneList) {
  Builder b;
  const SetId set = b.add_set();
  for (std::size_t size = 1; size <= 253; ++size)
    b.add(set, Condition::domain_keyword(std::string(size, 'a')));
  b.line(Condition::in_set(set, Resolve::no));
  const Built built = open(b);
  KeywordIndex::Found found;
  built.view.keywords().find(std::string(253, 'a'), found);
  EXPECT_EQ(found.count, 1U);
}

TEST(KeywordIndex, ManyListsInOneNameAreRemembered) {
  Builder b;
  std::string name;
  for (char c = 'a'; c <= 'z'; ++c) {
    b.domain_keyword(std::string(1, c));
    b.domain_keyword(std::string(1, c) + "0");
    name += std::string(1, c) + "0";
  }
  const Built built = open(b);
  KeywordIndex::Found found;
  built.view.keywords().find(name, found);
  EXPECT_FALSE(found.more);
  for (std::uint32_t at = 0; at < 52; ++at)
    EXPECT_EQ(built.view.keywords().next(found, name, at), at);
  // More than are remembered: the name is walked again.
  std::string longer;
  Builder more;
  for (std::uint32_t i = 0; i < 84; ++i) {
    const std::string keyword = {static_cast<char>('a' + i % 21), static_cast<char>('0' + i / 21),
                                 'x'};
    more.domain_keyword(keyword);
    longer += keyword;
  }
  const Built larger = open(more);
  larger.view.keywords().find(longer, found);
  EXPECT_TRUE(found.more);
  for (std::uint32_t at = 0; at < 84; ++at)
    EXPECT_EQ(larger.view.keywords().next(found, longer, at), at);
}

TEST(KeywordIndex, WhatPassesTheBoundIsLeftOut) {
  Builder b;
  const SetId set = b.add_set();
  std::uint32_t count = 0;
  for (; count < kMaxKeyword_states / 200 + 10; ++count)
    b.add(set,
          Condition::domain_keyword(std::to_string(1'000'000 + count) + std::string(200, 'k')));
  b.line(Condition::in_set(set, Resolve::no));
  const Built built = open(b);
  EXPECT_GT(b.left_out().count, 0U);
  EXPECT_LT(b.left_out().count, count / 10);
  EXPECT_LE(built.view.keywords().state_count(), kMaxKeyword_states);
  EXPECT_EQ(first_keyword(built.view, "1000000" + std::string(200, 'k')), 0U);
}

TEST(KeywordIndex, AKeywordLongerThanAnyNameNeverMatches) {
  Builder b;
  b.domain_keyword(std::string(254, 'a'));
  b.domain_keyword(std::string(253, 'a'));
  const Built built = open(b);
  EXPECT_EQ(first_keyword(built.view, std::string(253, 'a')), 1U);
}

}  // namespace
}  // namespace sluice::ruleset
