#include "controlplane/app/provider_updates.h"

#include <gtest/gtest.h>

#include <optional>

namespace sluice::control_plane {
namespace {

using State = manage::ProviderProgress::State;

class Reader final : public manage::Watcher<manage::ProviderProgress> {
 public:
  bool push(manage::ProviderProgress value) override {
    seen.push_back(std::move(value));
    return true;
  }
  void end() override { ended = true; }
  void end(manage::Fault said) override {
    ended = true;
    fault = std::move(said);
  }
  void on_over(std::move_only_function<void()>) override {}

  std::vector<manage::ProviderProgress> seen;
  bool ended = false;
  std::optional<manage::Fault> fault;
};

class ProviderUpdatesTest : public ::testing::Test {
 protected:
  std::unique_ptr<Loop> loop = *Loop::make();
  std::shared_ptr<Reader> reader = std::make_shared<Reader>();
  ProviderUpdates updates{*loop};
};

TEST_F(ProviderUpdatesTest, TheStreamEndsWithTheLastProvider) {
  const auto observers = updates.begin({"a", "b"}, reader);
  ASSERT_EQ(observers.size(), 2U);
  observers[0].lock()->progress({100, 400});
  observers[0].lock()->finished({provider::Outcome::updated, {}});
  EXPECT_FALSE(reader->ended);
  observers[1].lock()->finished({provider::Outcome::failed, "answered with status 404"});
  EXPECT_TRUE(reader->ended);
  ASSERT_EQ(reader->seen.size(), 3U);
  EXPECT_EQ(reader->seen[0].received, 100U);
  EXPECT_EQ(reader->seen[1].state, State::updated);
  EXPECT_EQ(reader->seen[1].total, 400U);
  EXPECT_EQ(reader->seen[2].state, State::failed);
  EXPECT_EQ(reader->seen[2].reason, "answered with status 404");
  loop->run_once(Millis{10});
  EXPECT_TRUE(observers[0].expired());
}

TEST_F(ProviderUpdatesTest, OneThatLeavesTheConfigurationHasFailed) {
  const auto observers = updates.begin({"a", "b"}, reader);
  updates.gone("a");
  EXPECT_EQ(reader->seen.at(0).state, State::failed);
  updates.gone("b");
  EXPECT_TRUE(reader->ended);
}

TEST_F(ProviderUpdatesTest, NothingToDoEndsAtOnce) {
  EXPECT_TRUE(updates.begin({}, reader).empty());
  EXPECT_TRUE(reader->ended);
}

TEST_F(ProviderUpdatesTest, AStopEndsTheStream) {
  {
    ProviderUpdates gone(*loop);
    (void)gone.begin({"a"}, reader);
  }
  EXPECT_TRUE(reader->ended);
  EXPECT_TRUE(reader->fault);
}

}  // namespace
}  // namespace sluice::control_plane
