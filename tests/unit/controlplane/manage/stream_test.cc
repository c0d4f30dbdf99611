#include <gtest/gtest.h>

#include <future>
#include <map>

#include "controlplane/manage/manage_limits.h"
#include "rig.h"

namespace sluice::manage {
namespace {

class StreamTest : public Rig {
 protected:
  WatcherPtr<FlowTable> flow_watcher() {
    service_.wait([](FakeService& s) { return s.flow_watcher_ != nullptr; });
    const std::lock_guard lock(service_.mutex_);
    return std::exchange(service_.flow_watcher_, nullptr);
  }
  WatcherPtr<LogLine> log_watcher() {
    service_.wait([](FakeService& s) { return s.log_watcher_ != nullptr; });
    const std::lock_guard lock(service_.mutex_);
    return std::exchange(service_.log_watcher_, nullptr);
  }
  static FlowTable table(std::uint64_t total) { return {total, 0, {}}; }
  static LogLine line(std::size_t number) {
    return {{1, 2, "flow", "line " + std::to_string(number)}, true};
  }
};

TEST_F(StreamTest, TheIntervalIsBroughtIntoItsBounds) {
  for (const auto& [asked, given] :
       {std::pair{0U, 1000}, {1U, 200}, {5000U, 5000}, {9999999U, 60000}}) {
    grpc::ClientContext context;
    api::WatchFlowsRequest request;
    request.set_interval_ms(asked);
    const auto stub = client();
    const auto reader = stub->WatchFlows(&context, request);
    const auto watcher = flow_watcher();
    EXPECT_EQ(service_.interval_, Millis{given});
    watcher->end();
    EXPECT_TRUE(reader->Finish().ok());
  }
}

TEST_F(StreamTest, PushedValuesArriveThenTheEnd) {
  grpc::ClientContext context;
  const auto stub = client();
  const auto reader = stub->WatchLog(&context, {});
  const auto watcher = log_watcher();
  for (std::size_t i = 0; i < 5; ++i) EXPECT_TRUE(watcher->push(line(i)));
  watcher->end();
  EXPECT_FALSE(watcher->push(line(9))) << "nothing follows the end";
  api::LogBatch batch;
  std::size_t seen = 0;
  while (reader->Read(&batch))
    for (const auto& record : batch.records()) {
      EXPECT_EQ(record.text(), "line " + std::to_string(seen++));
      EXPECT_EQ(record.plane(), "dataplane");
    }
  EXPECT_EQ(seen, 5u);
  EXPECT_TRUE(reader->Finish().ok());
}

TEST_F(StreamTest, AnEndWithAFaultReachesTheReader) {
  grpc::ClientContext context;
  const auto stub = client();
  const auto reader = stub->WatchFlows(&context, {});
  flow_watcher()->end(Fault{FaultKind::unavailable, "the data plane is away"});
  api::FlowTable out;
  EXPECT_FALSE(reader->Read(&out));
  const grpc::Status status = reader->Finish();
  EXPECT_EQ(status.error_code(), grpc::UNAVAILABLE);
  EXPECT_EQ(status.error_message(), "the data plane is away");
}

TEST_F(StreamTest, AReaderThatLeavesIsNoticed) {
  std::promise<void> over;
  grpc::ClientContext context;
  const auto stub = client();
  auto reader = stub->WatchFlows(&context, {});
  const auto watcher = flow_watcher();
  watcher->on_over([&] { over.set_value(); });
  context.TryCancel();
  over.get_future().wait();
  EXPECT_FALSE(watcher->push(table(1)));
  bool at_once = false;
  watcher->on_over([&] { at_once = true; });
  EXPECT_TRUE(at_once);
  EXPECT_EQ(reader->Finish().error_code(), grpc::CANCELLED);
}

/// A client that does not read: its window fills, then tables are replaced and lines dropped.
TEST_F(StreamTest, ASlowReaderGetsTheNewestTable) {
  grpc::ClientContext context;
  const auto stub = client();
  const auto reader = stub->WatchFlows(&context, {});
  const auto watcher = flow_watcher();
  FlowTable large = table(0);
  large.flows.resize(2000);
  for (auto& flow : large.flows) flow.rule_payload = std::string(200, 'x');
  constexpr std::uint64_t kPushes = 300;
  for (std::uint64_t i = 1; i <= kPushes; ++i) {
    large.upload_total = i;
    ASSERT_TRUE(watcher->push(large));
  }
  watcher->end();
  api::FlowTable out;
  std::uint64_t messages = 0, last = 0;
  while (reader->Read(&out)) {
    ++messages;
    EXPECT_GT(out.upload_total(), last);
    last = out.upload_total();
  }
  EXPECT_EQ(last, kPushes) << "the newest is never the one that gives way";
  EXPECT_LT(messages, kPushes / 2);
}

TEST_F(StreamTest, ASlowReaderOfTheLogIsToldHowMuchItMissed) {
  grpc::ClientContext context;
  const auto stub = client();
  const auto reader = stub->WatchLog(&context, {});
  const auto watcher = log_watcher();
  constexpr std::size_t kLines = 60'000;
  for (std::size_t i = 0; i < kLines; ++i) {
    LogLine one = line(i);
    one.record.component = std::string(200, 'c');
    ASSERT_TRUE(watcher->push(std::move(one)));
  }
  watcher->end();
  api::LogBatch batch;
  std::size_t seen = 0, dropped = 0;
  std::string last;
  while (reader->Read(&batch)) {
    dropped += batch.dropped();
    seen += static_cast<std::size_t>(batch.records_size());
    EXPECT_LE(batch.records_size(), static_cast<int>(kLogQueueCount));
    last = batch.records(batch.records_size() - 1).text();
  }
  EXPECT_EQ(seen + dropped, kLines);
  EXPECT_GT(dropped, 0u);
  EXPECT_EQ(last, "line " + std::to_string(kLines - 1));
}

// Whatever is left out in between: the last word on each is never lost.
TEST_F(StreamTest, ASlowReaderLearnsHowEachRefreshEnded) {
  using State = ProviderProgress::State;
  grpc::ClientContext context;
  api::UpdateRuleProvidersRequest request;
  request.add_names("a");
  request.add_names("b");
  const auto stub = client();
  const auto reader = stub->UpdateRuleProviders(&context, request);
  service_.wait([](FakeService& s) { return s.update_watcher_ != nullptr; });
  const auto watcher = std::exchange(service_.update_watcher_, nullptr);
  EXPECT_EQ(service_.update_names_, (std::vector<std::string>{"a", "b"}));
  constexpr std::uint64_t kSteps = 20'000;
  for (std::uint64_t i = 1; i <= kSteps; ++i) {
    ASSERT_TRUE(watcher->push({"a", State::running, i, kSteps, std::string(1000, 'x')}));
    ASSERT_TRUE(watcher->push({"b", State::running, i, kSteps, {}}));
  }
  watcher->push({"a", State::updated, kSteps, kSteps, {}});
  watcher->push({"b", State::failed, 1, 0, "no route"});
  watcher->end();
  api::RuleProviderUpdates batch;
  std::map<std::string, api::RuleProviderUpdate> last;
  std::uint64_t seen = 0;
  while (reader->Read(&batch))
    for (const auto& update : batch.updates()) {
      ++seen;
      EXPECT_GE(update.received(), update.name() == "a" ? last["a"].received() : 0);
      last[update.name()] = update;
    }
  EXPECT_TRUE(reader->Finish().ok());
  EXPECT_LT(seen, kSteps) << "a reader this slow must have missed some";
  EXPECT_EQ(last["a"].state(), api::REFRESH_UPDATED);
  EXPECT_EQ(last["b"].state(), api::REFRESH_FAILED);
  EXPECT_EQ(last["b"].reason(), "no route");
}

TEST_F(StreamTest, OneWatcherTooManyIsRefusedAndALeaverMakesRoom) {
  const auto stub = client();
  std::vector<std::unique_ptr<grpc::ClientContext>> contexts;
  std::vector<std::unique_ptr<grpc::ClientReader<api::FlowTable>>> readers;
  std::vector<WatcherPtr<FlowTable>> watchers;
  const auto open = [&] {
    contexts.push_back(std::make_unique<grpc::ClientContext>());
    readers.push_back(stub->WatchFlows(contexts.back().get(), {}));
  };
  for (std::size_t i = 0; i < kMaxWatchers; ++i) {
    open();
    watchers.push_back(flow_watcher());
  }
  open();
  EXPECT_EQ(readers.back()->Finish().error_code(), grpc::RESOURCE_EXHAUSTED);

  std::promise<void> over;
  watchers.front()->on_over([&] { over.set_value(); });
  watchers.front()->end();
  EXPECT_TRUE(readers.front()->Finish().ok());
  over.get_future().wait();
  open();
  EXPECT_TRUE(flow_watcher()->push(table(5)));
  for (auto& context : contexts) context->TryCancel();
  for (std::size_t i = 1; i < kMaxWatchers; ++i) (void)readers[i]->Finish();
  (void)readers.back()->Finish();
}

TEST_F(StreamTest, StopEndsStreamsAlsoOfReadersThatDoNotRead) {
  const auto stub = client();
  grpc::ClientContext idle_context, stuck_context;
  const auto idle = stub->WatchLog(&idle_context, {});
  (void)log_watcher();
  const auto stuck = stub->WatchFlows(&stuck_context, {});
  const auto watcher = flow_watcher();
  FlowTable large = table(0);
  large.flows.resize(20'000);
  for (auto& flow : large.flows) flow.rule_payload = std::string(200, 'x');
  ASSERT_TRUE(watcher->push(large));
  ASSERT_TRUE(watcher->push(large));
  stop();
  EXPECT_FALSE(watcher->push(table(1)));
  api::LogBatch batch;
  EXPECT_FALSE(idle->Read(&batch));
  EXPECT_EQ(idle->Finish().error_code(), grpc::UNAVAILABLE);
  stuck_context.TryCancel();
  (void)stuck->Finish();
}

}  // namespace
}  // namespace sluice::manage
