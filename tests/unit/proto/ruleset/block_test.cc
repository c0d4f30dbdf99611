// The frame and its sections as hostile input: refused with a reason, or safe to match.
#include "proto/ruleset/bounds.h"
#include "proto/ruleset/format.h"
#include "tests/support/rule_lines.h"

namespace sluice::ruleset {
namespace {

using test::Line;
using test::Random;

std::vector<std::byte> sample(std::uint64_t seed = 7, std::size_t count = 60) {
  Random random(seed);
  std::vector<Line> lines(count);
  for (Line& line : lines) line = test::random_line(random);
  return test::compile(lines);
}

void repair_checksum(std::vector<std::byte>& block) {
  if (block.size() < kHeader_bytes) return;
  Writer sum(ByteSpan(block).subspan(kChecksumOffset, 8));
  sum.u64le(checksum(block));
}

/// Programs, patterns, and sets with parts inside conditions.
std::vector<std::byte> sample_of_conditions() {
  Builder b;
  const SetId ads = b.add_set();
  b.domain_suffix(ads, "a.test");
  b.add(ads, Condition::domain_wildcard("*b?"));
  b.add(ads, Condition::all({Condition::domain_keyword("t"),
                             Condition::destination(*Prefix::parse("::/0"), Resolve::yes)}));
  const SetId allowed = b.add_set();
  b.add(allowed, Condition::domain_regex("^x"));
  const Condition listed = Condition::in_set(ads, Resolve::yes);
  const Condition excepted = Condition::negate(Condition::in_set(allowed, Resolve::yes));
  b.line(Condition::all({Condition::network(Network::tcp), listed, excepted}));
  b.line(Condition::in_set(ads, Resolve::no, Compared::source));
  b.line(Condition::user("ann"));
  b.line(Condition::all({Condition::uid(1, 2), Condition::user("bob")}));
  return *b.finish();
}

/// Asks everything a flow could; the sanitizers watch. Positions must stay below their count.
void exercise(const View& view, Random& random) {
  for (int flow = 0; flow < 8; ++flow) {
    std::string name;
    const Key key = test::random_key(random, name);
    Match match(view, key);
    std::int64_t last = -1;
    for (int i = 0; i < 200; ++i) {
      const Match::Step step = match.next();
      if (step.outcome == Match::Outcome::end) break;
      ASSERT_LT(step.position, view.position_count());
      if (step.outcome == Match::Outcome::needs_address) {
        match.set_address(test::random_address(random));
        continue;
      }
      ASSERT_GT(step.position, last);
      last = step.position;
    }
  }
}

TEST(Block, SameCallsGiveTheSameBytes) {
  EXPECT_EQ(sample(), sample());
  EXPECT_NE(sample(7), sample(8));
}

TEST(Block, EveryTruncationIsRefused) {
  const auto block = sample();
  for (std::size_t cut = 0; cut < block.size(); ++cut) {
    const std::vector<std::byte> part(block.begin(), block.begin() + static_cast<long>(cut));
    EXPECT_FALSE(View::open(part)) << cut;
  }
}

TEST(Block, EveryFlippedBitIsRefused) {
  auto block = sample(3, 30);
  for (std::size_t bit = 0; bit < 8 * block.size(); ++bit) {
    block[bit / 8] ^= static_cast<std::byte>(1U << (bit % 8));
    EXPECT_FALSE(View::open(block)) << bit;
    block[bit / 8] ^= static_cast<std::byte>(1U << (bit % 8));
  }
  EXPECT_TRUE(View::open(block));
}

// A liar repairs the checksum: then the validator alone stands between the bytes and the matcher.
TEST(Block, EveryFlippedBitWithARepairedChecksumIsRefusedOrSafe) {
  const auto whole = sample(5, 50);
  Random random(11);
  std::size_t refused = 0;
  std::size_t accepted = 0;
  for (std::size_t bit = 0; bit < 8 * whole.size(); ++bit) {
    auto block = whole;
    block[bit / 8] ^= static_cast<std::byte>(1U << (bit % 8));
    repair_checksum(block);
    const auto view = View::open(block);
    if (!view) {
      EXPECT_FALSE(view.error().reason.empty());
      EXPECT_LE(view.error().offset, block.size());
      ++refused;
      continue;
    }
    ++accepted;
    exercise(*view, random);
  }
  EXPECT_GT(refused, accepted);
}

TEST(Block, EveryWordAtItsLimitsWithARepairedChecksumIsRefusedOrSafe) {
  for (const auto& whole : {sample(9, 80), sample_of_conditions()}) {
    Random random(13);
    for (std::size_t at = 0; at + 4 <= whole.size(); at += 4) {
      for (const std::uint32_t value :
           {0U, 1U, 0x7fffffffU, 0x80000000U, 0xfffffffeU, 0xffffffffU}) {
        auto block = whole;
        Writer word(ByteSpan(block).subspan(at, 4));
        word.u32le(value);
        repair_checksum(block);
        if (const auto view = View::open(block)) exercise(*view, random);
      }
    }
  }
}

// Programs compare texts byte by byte: a hostile one must not be longer than any that a list holds.
TEST(Block, ATextLongerThanItsBoundIsRefused) {
  Builder b;
  const std::string longest(kMaxText_bytes, 'a');
  b.line(Condition::all({Condition::process_path(longest), Condition::network(Network::tcp)}));
  b.line(
      Condition::all({Condition::user(std::string(255, 'u')), Condition::network(Network::tcp)}));
  const auto whole = *b.finish();
  ASSERT_TRUE(View::open(whole));
  for (const auto& [op, size] :
       {std::pair{Op::process_path, kMaxText_bytes}, std::pair{Op::user, std::size_t{255}}}) {
    auto block = whole;
    for (std::size_t at = kHeader_bytes; at + 8 <= block.size(); at += 4) {
      if (block[at] != static_cast<std::byte>(op) || load_u16(block.data() + at + 2) != size)
        continue;
      Writer extra(ByteSpan(block).subspan(at + 2, 2));
      extra.u16le(static_cast<std::uint16_t>(size + 1));
      Writer place(ByteSpan(block).subspan(at + 4, 4));
      place.u32le(0);
    }
    repair_checksum(block);
    const auto view = View::open(block);
    ASSERT_FALSE(view);
    EXPECT_EQ(view.error().reason, "programs: an impossible argument");
  }
}

TEST(Block, AlignmentDoesNotMatter) {
  const auto block = sample();
  for (std::size_t shift = 1; shift < 8; ++shift) {
    std::vector<std::byte> moved(block.size() + shift);
    std::ranges::copy(block, moved.begin() + static_cast<long>(shift));
    const auto view = View::open(ByteView(moved).subspan(shift));
    ASSERT_TRUE(view) << shift;
    Random random(17);
    exercise(*view, random);
  }
}

TEST(Block, ReasonsNameWhatIsWrong) {
  auto block = sample();
  const auto reason = [](const std::vector<std::byte>& bytes) {
    return std::string(View::open(bytes).error().reason);
  };
  auto changed = block;
  changed[0] = std::byte{'X'};
  EXPECT_EQ(reason(changed), "not a rule-set block");
  changed = block;
  changed[8] = std::byte{kFormatVersion + 1};
  EXPECT_EQ(reason(changed), "format version is not supported");
  changed = block;
  changed.push_back(std::byte{0});
  EXPECT_EQ(reason(changed), "block has another size than it says");
  changed = block;
  changed[kHeader_bytes] = std::byte{63};  // the first section's kind
  repair_checksum(changed);
  EXPECT_FALSE(View::open(changed));
  EXPECT_EQ(reason({}), "block is shorter than its header");
}

// A kind of section that a later version adds must not be skipped: lines would silently vanish.
TEST(Block, AnUnknownSectionIsRefused) {
  Builder b;
  b.always();
  auto block = *b.finish();
  block[kHeader_bytes] = static_cast<std::byte>(kIndexCount);
  repair_checksum(block);
  EXPECT_EQ(View::open(block).error().reason, "a section of an unknown kind");
}

// Behind the checksum stand counts that no section repeats.
TEST(Block, DamageOfAnyByteOfTheHeaderChangesTheChecksum) {
  const auto block = sample_of_conditions();
  for (std::size_t at = 0; at < kHeader_bytes; ++at) {
    auto damaged = block;
    damaged[at] ^= std::byte{0x10};
    const bool stored = at >= kChecksumOffset && at < kChecksumOffset + 8;
    EXPECT_EQ(checksum(damaged) == checksum(block), stored) << at;
  }
}

TEST(Block, TheFormatIsLittleEndianAndFixed) {
  Builder b;
  b.network(Network::udp);
  b.never();
  const auto block = *b.finish();
  const auto view = View::open(block);
  ASSERT_TRUE(view);
  EXPECT_EQ(as_text(ByteView(block).first(8)), kMagic);
  Reader in(ByteView(block).subspan(8));
  EXPECT_EQ(in.u16le(), kFormatVersion);
  EXPECT_EQ(in.u16le(), kHeader_bytes);
  EXPECT_EQ(in.u32le(), 1U);  // sections
  EXPECT_EQ(in.u64le(), block.size());
  EXPECT_EQ(in.u32le(), 2U);  // lines
  EXPECT_EQ(in.u32le(), 2U);  // positions
  // This value changes only with the format version: other machines hold such blocks.
  EXPECT_EQ(load_u64(block.data() + kChecksumOffset), checksum(block));
  EXPECT_EQ(load_u32(block.data() + kHeader_bytes), static_cast<std::uint32_t>(Index::network));
}

}  // namespace
}  // namespace sluice::ruleset
