#include <gtest/gtest.h>

#include <thread>

#include "dataplane/control/bounds.h"
#include "dataplane/control/counter_feed.h"
#include "dataplane/control/flow_delta.h"
#include "dataplane/control/log_feed.h"
#include "tests/unit/proto/wire/samples.h"

namespace sluice::control {
namespace {

std::vector<contract::CounterDelta> deltas(std::size_t count) {
  std::vector<contract::CounterDelta> out(count);
  for (auto& delta : out) delta.upload = 1;
  return out;
}

TEST(CounterFeed, KeepsABatchUntilItIsAcknowledged) {
  CounterFeed feed(7);
  EXPECT_EQ(feed.front(), nullptr);
  feed.add(deltas(1));
  feed.add(deltas(2));
  ASSERT_NE(feed.front(), nullptr);
  EXPECT_EQ(feed.front()->sequence, 1U);
  EXPECT_EQ(feed.front()->epoch, 7U);
  feed.acknowledge({7, 0});
  EXPECT_EQ(feed.front()->sequence, 1U);
  feed.acknowledge({7, 1});
  EXPECT_EQ(feed.front()->sequence, 2U);
  feed.acknowledge({7, 2});
  EXPECT_EQ(feed.front(), nullptr);
}

TEST(CounterFeed, CursorsOfAnotherLifeOrTheFutureCoverNothing) {
  CounterFeed feed(7);
  feed.add(deltas(1));
  feed.acknowledge({6, 1});
  feed.acknowledge({7, 2});
  feed.acknowledge({7, UINT64_MAX});
  ASSERT_NE(feed.front(), nullptr);
  EXPECT_EQ(feed.front()->sequence, 1U);
}

TEST(CounterFeed, TheFinalBatchIsTheLastEvenWithoutDeltas) {
  CounterFeed idle(7);
  idle.add({}, true);
  ASSERT_NE(idle.front(), nullptr);
  EXPECT_TRUE(idle.front()->final);
  EXPECT_TRUE(idle.front()->deltas.empty());
  CounterFeed busy(7);
  busy.add(deltas(1));
  busy.add(deltas(kDeltasPerBatch + 1), true);
  EXPECT_FALSE(busy.front()->final);
  busy.acknowledge({7, 2});
  EXPECT_TRUE(busy.front()->final);
  EXPECT_EQ(busy.front()->sequence, 3U);
}

TEST(CounterFeed, ManyDeltasBecomeSeveralBatchesAndNoneIsLost) {
  CounterFeed feed(1);
  feed.add(deltas(2 * kDeltasPerBatch + 1));
  std::size_t seen = 0;
  std::uint64_t next = 1;
  while (const contract::CounterBatch* batch = feed.front()) {
    EXPECT_EQ(batch->sequence, next++);
    EXPECT_LE(batch->deltas.size(), kDeltasPerBatch);
    for (const auto& delta : batch->deltas) seen += delta.upload;
    feed.acknowledge({1, batch->sequence});
  }
  EXPECT_EQ(seen, 2 * kDeltasPerBatch + 1);
  feed.add({});
  EXPECT_EQ(feed.front(), nullptr);
}

TEST(FlowDelta, SendsTheTableOnceThenOnlyWhatChanged) {
  FlowDelta delta;
  auto flow = test::sample_flow(1);
  auto first = delta.next({flow, test::sample_flow(2)}, {}, 0);
  EXPECT_TRUE(first.reset);
  EXPECT_EQ(first.flows.size(), 2U);

  auto quiet = delta.next({flow, test::sample_flow(2)}, {}, 0);
  EXPECT_FALSE(quiet.reset);
  EXPECT_TRUE(quiet.flows.empty() && quiet.progress.empty() && quiet.closed.empty());

  flow.upload += 10;
  auto moved = delta.next({flow, test::sample_flow(2)}, {}, 0);
  EXPECT_TRUE(moved.flows.empty());
  ASSERT_EQ(moved.progress.size(), 1U);
  EXPECT_EQ(moved.progress[0].upload, flow.upload);

  flow.remote = "other:1";
  auto changed = delta.next({flow, test::sample_flow(2), test::sample_flow(3)}, {}, 0);
  EXPECT_EQ(changed.flows.size(), 2U);
}

TEST(FlowDelta, AClosedFlowIsNotShownAgainFromAnOlderTable) {
  FlowDelta delta;
  (void)delta.next({test::sample_flow(1)}, {}, 0);
  const auto closed = delta.next({test::sample_flow(1)}, {test::sample_flow(1)}, 0);
  EXPECT_FALSE(closed.reset);
  EXPECT_TRUE(closed.flows.empty());
  EXPECT_EQ(closed.closed.size(), 1U);
  EXPECT_TRUE(delta.next({}, {}, 0).closed.empty());
}

TEST(FlowDelta, ALossOrAFlowThatVanishedStartsAnew) {
  FlowDelta delta;
  (void)delta.next({test::sample_flow(1), test::sample_flow(2)}, {}, 0);
  const auto after_loss = delta.next({test::sample_flow(1), test::sample_flow(2)}, {}, 4);
  EXPECT_TRUE(after_loss.reset);
  EXPECT_EQ(after_loss.lost, 4U);
  EXPECT_EQ(after_loss.flows.size(), 2U);
  // Its closing record may still come: one turn of grace.
  EXPECT_FALSE(delta.next({test::sample_flow(1)}, {}, 0).reset);
  const auto anew = delta.next({test::sample_flow(1)}, {}, 0);
  EXPECT_TRUE(anew.reset);
  EXPECT_EQ(anew.flows.size(), 1U);
  EXPECT_FALSE(delta.next({test::sample_flow(1)}, {}, 0).reset);
}

TEST(LogFeed, IsBoundedCountsWhatIsLostAndCostsNothingWhenStopped) {
  LogFeed feed;
  feed.start(LogLevel::info);
  set_log_level(LogLevel::silent);  // the lines of this test are not for its output
  SLUICE_LOG(debug, "test", "below");
  for (std::size_t i = 0; i < kMaxRecordsHeld + 5; ++i) SLUICE_LOG(info, "test", "line %zu", i);
  const auto drained = feed.drain();
  EXPECT_EQ(drained.records.size(), kMaxRecordsHeld);
  EXPECT_EQ(drained.lost, 5U);
  EXPECT_EQ(drained.records[3].text, "line 3");
  feed.stop();
  EXPECT_FALSE(log_enabled(LogLevel::debug));
}

TEST(LogFeed, StandardErrorHasTheLevelThatIsWatched) {
  LogFeed feed;
  for (const LogLevel level : {LogLevel::debug, LogLevel::error, LogLevel::info}) {
    feed.start(level);
    ::testing::internal::CaptureStderr();
    SLUICE_LOG(warning, "test", "a warning");
    const std::string said = ::testing::internal::GetCapturedStderr();
    EXPECT_EQ(said.find("a warning") != std::string::npos, level <= LogLevel::warning);
  }
  feed.stop();
  EXPECT_FALSE(log_enabled(LogLevel::debug));
  EXPECT_TRUE(log_enabled(LogLevel::info));
}

TEST(LogFeed, TakesLinesFromManyThreads) {
  LogFeed feed;
  feed.start(LogLevel::info);
  set_log_level(LogLevel::silent);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([] {
      for (int i = 0; i < 100; ++i) SLUICE_LOG(info, "test", "x");
    });
  std::size_t seen = 0;
  while (seen < 400) seen += feed.drain().records.size();
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(seen, 400U);
  feed.stop();
}

}  // namespace
}  // namespace sluice::control
