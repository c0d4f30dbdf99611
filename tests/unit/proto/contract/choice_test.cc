#include "proto/contract/choice.h"

#include <gtest/gtest.h>

namespace sluice::contract {
namespace {

TEST(Choices, AreWrittenIntoGroupsAndStaleOnesSkipped) {
  Manifest manifest;
  manifest.outbounds.resize(4);
  manifest.outbounds[0].name = "a";
  manifest.outbounds[1].name = "b";
  manifest.outbounds[2].name = "G";
  manifest.outbounds[2].members = {1, 0};
  manifest.outbounds[3].name = "H";
  manifest.outbounds[3].members = {0, 99};
  apply_choices(manifest, {{"G", "a"}, {"gone", "a"}, {"H", "gone"}});
  EXPECT_EQ(manifest.outbounds[2].initial_choice, 1U);
  EXPECT_EQ(manifest.outbounds[3].initial_choice, 0U);
}

TEST(Choices, TheNewestOfEachGroupStaysAtTheGroupsPlace) {
  std::vector<GroupChoice> all{{"G", "a"}};
  merge_choices(all, {{"H", "a"}, {"G", "b"}, {"I", "a"}, {"H", "c"}});
  EXPECT_EQ(all, (std::vector<GroupChoice>{{"G", "b"}, {"H", "c"}, {"I", "a"}}));
  merge_choices(all, {});
  EXPECT_EQ(all.size(), 3U);
}

}  // namespace
}  // namespace sluice::contract
