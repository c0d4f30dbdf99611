#include "proto/common/sort_stably.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace sluice {
namespace {

TEST(SortStably, EqualElementsKeepTheirOrder) {
  std::vector<std::string> words;
  for (int i = 0; i < 200; ++i) words.push_back(std::to_string(i % 7) + ":" + std::to_string(i));
  sort_stably(words.begin(), words.end(),
              [](const std::string& a, const std::string& b) { return a.front() > b.front(); });
  std::vector<std::string> wanted;
  for (int digit = 6; digit >= 0; --digit)
    for (int i = digit; i < 200; i += 7)
      wanted.push_back(std::to_string(digit) + ":" + std::to_string(i));
  EXPECT_EQ(words, wanted);
}

TEST(SortStably, MovesWhatCannotBeCopiedAndTakesNothing) {
  std::vector<std::unique_ptr<int>> none;
  const auto less = [](const auto& a, const auto& b) { return *a < *b; };
  sort_stably(none.begin(), none.end(), less);
  EXPECT_TRUE(none.empty());
  std::vector<std::unique_ptr<int>> two;
  two.push_back(std::make_unique<int>(2));
  two.push_back(std::make_unique<int>(1));
  sort_stably(two.begin(), two.end(), less);
  EXPECT_EQ(*two[0], 1);
  EXPECT_EQ(*two[1], 2);
}

}  // namespace
}  // namespace sluice
