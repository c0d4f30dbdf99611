#include "controlplane/config_store/history.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "controlplane/config_store/atomic_file.h"
#include "controlplane/config_store/store_limits.h"
#include "scratch.h"

namespace sluice::config_store {
namespace {

TEST(History, AnAbsentDirectoryHasNoVersions) {
  EXPECT_TRUE(History("/nonexistent/history").list().empty());
}

TEST(History, KeepsTheLastFiveNewestFirst) {
  const Scratch scratch;
  const History history(scratch.path("history"));
  for (int i = 1; i <= 8; ++i) ASSERT_TRUE(history.add("text " + std::to_string(i), 1000 + i));
  const std::vector<Version> versions = history.list();
  ASSERT_EQ(versions.size(), kHistoryCount);
  for (std::size_t i = 0; i < versions.size(); ++i) {
    EXPECT_EQ(read_file(versions[i].path), "text " + std::to_string(8 - i));
    EXPECT_EQ(versions[i].saved_wall_ms, 1008 - static_cast<int>(i));
  }
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(scratch.path("history")), {}),
            static_cast<std::ptrdiff_t>(kHistoryCount));
}

TEST(History, OrderFollowsTheCounterWhenTheClockStartsIn1970) {
  const Scratch scratch;
  const History history(scratch.path("history"));
  ASSERT_TRUE(history.add("before the power cut", 1'700'000'000'000));
  ASSERT_TRUE(history.add("after it", 5));
  EXPECT_EQ(read_file(history.list().front().path), "after it");
}

TEST(History, TheSameTextIsNotKeptTwiceInARow) {
  const Scratch scratch;
  const History history(scratch.path("history"));
  ASSERT_TRUE(history.add("a", 1));
  ASSERT_TRUE(history.add("a", 2));
  ASSERT_TRUE(history.add("b", 3));
  ASSERT_TRUE(history.add("a", 4));
  EXPECT_EQ(history.list().size(), 3u);
}

TEST(History, FilesOfOthersAreLeftAlone) {
  const Scratch scratch;
  const History history(scratch.path());
  scratch.put("notes.yaml", "mine");
  scratch.put("1-2.yaml", "too few digits");
  for (int i = 0; i < 7; ++i) ASSERT_TRUE(history.add(std::to_string(i), i));
  EXPECT_EQ(history.list().size(), kHistoryCount);
  EXPECT_EQ(scratch.get("notes.yaml"), "mine");
  EXPECT_EQ(scratch.get("1-2.yaml"), "too few digits");
}

TEST(History, HoldsSecretsSoNobodyElseReadsIt) {
  const Scratch scratch;
  const History history(scratch.path("history"));
  ASSERT_TRUE(history.add("password: x", 1));
  namespace fs = std::filesystem;
  EXPECT_EQ(fs::status(scratch.path("history")).permissions(), fs::perms::owner_all);
  EXPECT_EQ(fs::status(history.list().front().path).permissions(),
            fs::perms::owner_read | fs::perms::owner_write);
}

TEST(History, ADirectoryThatCannotBeMadeIsAnError) {
  const Scratch scratch;
  const Stored<void> result = History(scratch.path("no/such/history")).add("a", 1);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().fault, StoreFault::no_directory);
}

}  // namespace
}  // namespace sluice::config_store
