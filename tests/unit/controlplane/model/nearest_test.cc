#include "controlplane/model/read/nearest.h"

#include <gtest/gtest.h>

namespace sluice::model {
namespace {

TEST(EditDistance, CountsInsertDeleteReplaceAndSwap) {
  EXPECT_EQ(edit_distance("", "", 3), 0U);
  EXPECT_EQ(edit_distance("port", "port", 3), 0U);
  EXPECT_EQ(edit_distance("PORT", "port", 3), 0U);
  EXPECT_EQ(edit_distance("prot", "port", 3), 1U);
  EXPECT_EQ(edit_distance("por", "port", 3), 1U);
  EXPECT_EQ(edit_distance("ports", "port", 3), 1U);
  EXPECT_EQ(edit_distance("pork", "port", 3), 1U);
  EXPECT_EQ(edit_distance("kitten", "sitting", 5), 3U);
  EXPECT_EQ(edit_distance("ca", "abc", 5), 3U);  // optimal string alignment, not Damerau's 2
}

TEST(EditDistance, StopsBeyondTheBound) {
  EXPECT_EQ(edit_distance("abcdef", "uvwxyz", 2), 3U);
  EXPECT_EQ(edit_distance("a", "abcdefgh", 2), 3U);
  EXPECT_EQ(edit_distance(std::string(1000, 'a'), std::string(1000, 'a'), 2), 3U);  // not compared
}

TEST(Nearest, TakesTheClosestWithinAThirdOfTheWord) {
  Nearest nearest("tproxy-prot");
  for (const char* word : {"redir-port", "tproxy-port", "proxies"}) nearest.offer(word);
  EXPECT_EQ(nearest.remedy(""), "did you mean `tproxy-port`?");
  EXPECT_EQ(nearest.remedy("x"), "did you mean `tproxy-port`?");
}

TEST(Nearest, FindsNothingWhenAllAreFar) {
  Nearest nearest("p");
  for (const char* word : {"q", "rules", "dns"}) nearest.offer(word);
  EXPECT_EQ(nearest.remedy(""), "");
  EXPECT_EQ(nearest.remedy("ignored"), "ignored");
}

TEST(Nearest, TheFirstOfEqualsStays) {
  Nearest nearest("hosy");
  for (const char* word : {"host", "hose"}) nearest.offer(word);
  EXPECT_EQ(nearest.remedy(""), "did you mean `host`?");
}

}  // namespace
}  // namespace sluice::model
