#include "proto/ruleset/name_places.h"

#include <gtest/gtest.h>

#include <set>

#include "proto/ruleset/bounds.h"
#include "proto/ruleset/name_index.h"
#include "tests/support/rule_lines.h"

namespace sluice::ruleset {
namespace {

TEST(NamePlaces, EveryNameHasASlotOfItsOwn) {
  test::Random random(41);
  std::vector<std::uint64_t> hashes(10'000);
  for (std::uint64_t& hash : hashes) hash = random.next();
  const auto places = place_names(hashes);
  ASSERT_TRUE(places);
  EXPECT_LE(places->probes, kMaxProbe);
  EXPECT_LE(places->bucket_count, 10'000U / 6 + 1);
  const std::set<std::uint32_t> slots(places->slots.begin(), places->slots.end());
  EXPECT_EQ(slots.size(), hashes.size());
  EXPECT_EQ(slots.count(kNone), 0U);
}

// Such names fill all buckets that a probe may touch at every size of the table.
TEST(NamePlaces, EqualHashesEndTheSearchAndAreLeftOut) {
  std::vector<std::uint64_t> hashes(500, 0x1234567800000007ULL);
  hashes.push_back(0xff00000000000001ULL);
  EXPECT_FALSE(place_names(hashes));
  const NamePlaces places = place_most_names(hashes);
  const auto without = std::ranges::count(places.slots, kNone);
  EXPECT_EQ(without, 500 - 8 * static_cast<long>(kMaxProbe));
  EXPECT_NE(places.slots.back(), kNone);
}

}  // namespace
}  // namespace sluice::ruleset
