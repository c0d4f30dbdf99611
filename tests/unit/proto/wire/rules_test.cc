#include "proto/wire/rules.h"

#include <gtest/gtest.h>

#include "proto/wire/bounds.h"

namespace sluice::wire {
namespace {

contract::RuleStates states(std::size_t count) {
  contract::RuleStates out;
  out.generation = 7;
  out.unmatched = UINT64_MAX;
  for (std::size_t i = 0; i < count; ++i)
    out.lines.push_back({UINT32_MAX - static_cast<std::uint32_t>(i), UINT64_MAX - i,
                         UINT32_MAX - static_cast<std::uint32_t>(i), i % 2 == 0});
  return out;
}

Decoded<contract::RuleStates> put_together(const std::vector<v1::RulePage>& pages) {
  contract::RuleStates out;
  for (const v1::RulePage& page : pages) {
    auto next = decode(page, std::move(out));
    if (!next) return next;
    out = std::move(*next);
  }
  return out;
}

TEST(WireRules, StatesTravelInPagesThatFitAMessage) {
  for (const std::size_t count :
       {std::size_t{0}, std::size_t{1}, kMaxPageRules, kMaxPageRules + 1, 3 * kMaxPageRules + 5}) {
    const auto in = states(count);
    const auto pages = encode_pages(in);
    EXPECT_EQ(pages.size(), std::max<std::size_t>(1, (count + kMaxPageRules - 1) / kMaxPageRules));
    for (const v1::RulePage& page : pages) EXPECT_LT(page.ByteSizeLong(), kMaxMessage);
    const auto out = put_together(pages);
    ASSERT_TRUE(out) << out.error().to_string();
    EXPECT_EQ(*out, in);
  }
}

TEST(WireRules, PagesThatDoNotFollowEachOtherAreRefused) {
  const auto good = encode_pages(states(kMaxPageRules + 3));
  const auto place = [](std::vector<v1::RulePage> pages) {
    const auto out = put_together(pages);
    return out ? "accepted" : out.error().place;
  };
  EXPECT_EQ(place(good), "accepted");
  EXPECT_EQ(place({good[0], good[0]}), "first");
  EXPECT_EQ(place({good[1]}), "first");
  auto bad = good;
  bad[1].set_generation(8);
  EXPECT_EQ(place(bad), "generation");
  bad = good;
  bad[0].add_misses(1);
  EXPECT_EQ(place(bad), "misses");
  bad = good;
  bad[0].mutable_last_hit_s()->RemoveLast();
  EXPECT_EQ(place(bad), "last_hit_s");
  bad = good;
  bad[1].add_disabled(0);
  EXPECT_EQ(place(bad), "disabled");
  bad = good;
  bad[1].add_disabled(kMaxPageRules + 3);
  EXPECT_EQ(place(bad), "disabled");
  bad = good;
  bad[0].add_hits(1);
  bad[0].add_misses(1);
  bad[0].add_last_hit_s(1);
  EXPECT_EQ(place(bad), "hits");
}

TEST(WireRules, SwitchesRoundTripAndNoneIsRefused) {
  const contract::RuleSwitches in{9, {{0, true}, {4'000'000, false}}};
  v1::SetRulesRequest message;
  encode(in, &message);
  const auto out = decode(message);
  ASSERT_TRUE(out) << out.error().to_string();
  EXPECT_EQ(*out, in);
  EXPECT_EQ(decode(v1::SetRulesRequest{}).error().place, "lines");
  while (static_cast<std::size_t>(message.lines_size()) <= kMaxSwitches) message.add_lines();
  EXPECT_EQ(decode(message).error().place, "lines");
}

}  // namespace
}  // namespace sluice::wire
