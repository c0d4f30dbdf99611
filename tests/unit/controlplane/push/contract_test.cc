// Both ends of the contract over a real Unix socket: ControlServer with a fake data plane behind
// it, DataPlaneClient with a fake control plane behind it. Every wait is for a condition, with a
// deadline that only a fault reaches.
#include <gtest/gtest.h>
#include <sys/un.h>

#include <algorithm>
#include <map>
#include <set>

#include "dataplane/recovery/recovery.h"
#include "tests/unit/controlplane/push/fakes.h"
#include "tests/unit/proto/wire/samples.h"

namespace sluice {
namespace {

using test::ContractTest;
using test::FakeEvents;
using test::ip;

const contract::BlobPtr kBlob = contract::make_blob(std::vector<std::byte>(700'000, std::byte{7}));

contract::Manifest manifest_with(const contract::BlobPtr& blob, const char* name = "DIRECT") {
  contract::Manifest out;
  out.outbounds = {{.name = name}, {.name = "b"}, {.name = "G", .members = {0, 1}}};
  out.ruleset = blob->digest;
  return out;
}

TEST_F(ContractTest, ComesUpAppliesAndReportsWhatIsHeld) {
  start_server();
  start_client();
  ASSERT_TRUE(events.wait_up(1));
  const auto verdict = apply(manifest_with(kBlob), {kBlob});
  EXPECT_TRUE(verdict.accepted) << verdict.reason;
  EXPECT_EQ(core.applied_count(), 1U);
  EXPECT_EQ(core.blob_bytes(), kBlob->bytes.size());
  const auto hello = ask_hello();
  ASSERT_TRUE(hello);
  EXPECT_EQ(hello->blobs, std::vector{kBlob->digest});
  EXPECT_EQ(hello->generation, verdict.generation);
}

TEST_F(ContractTest, ARefusalReachesTheCallerAndIsNotAppliedAgain) {
  start_server();
  start_client();
  ASSERT_TRUE(events.wait_up(1));
  ASSERT_TRUE(apply(manifest_with(kBlob), {kBlob}).accepted);
  core.refuse_next("outbounds[1].server", "is odd");
  const auto verdict = apply(manifest_with(kBlob, "other"), {kBlob});
  EXPECT_FALSE(verdict.accepted);
  EXPECT_EQ(verdict.place, "outbounds[1].server");
  EXPECT_EQ(verdict.reason, "is odd");
  restart_server();
  ASSERT_TRUE(events.wait_up(2));
  EXPECT_EQ(core.manifest().outbounds[0].name, "DIRECT");
}

// What the run directory holds of an Apply that changes nothing would stay for ever.
TEST_F(ContractTest, ARefusedApplyLeavesTheBlobsThatRunAndNoOthers) {
  start_server();
  start_client();
  ASSERT_TRUE(events.wait_up(1));
  ASSERT_TRUE(apply(manifest_with(kBlob), {kBlob}).accepted);
  const auto other = contract::make_blob(std::vector<std::byte>(300'000, std::byte{8}));
  core.refuse_next("ruleset", "is odd");
  EXPECT_FALSE(apply(manifest_with(other), {other}).accepted);
  EXPECT_FALSE(dir.has(contract::to_text(other->digest) + ".blob"));
  EXPECT_TRUE(dir.has(contract::to_text(kBlob->digest) + ".blob"));
  core.refuse_next("outbounds", "are odd");
  EXPECT_FALSE(apply(manifest_with(kBlob, "other"), {kBlob}).accepted);
  EXPECT_TRUE(dir.has(contract::to_text(kBlob->digest) + ".blob"));
}

TEST_F(ContractTest, ARestartedDataPlaneReplaysBeforeAnybodyConnects) {
  start_server();
  start_client();
  ASSERT_TRUE(events.wait_up(1));
  ASSERT_TRUE(apply(manifest_with(kBlob), {kBlob}).accepted);
  ASSERT_TRUE(bind(ip("198.18.0.1"), "a.test"));
  ASSERT_TRUE(select("G", "b"));
  stop_client();
  core.clear_order();
  restart_server();
  ASSERT_TRUE(core.wait([&] { return core.applied_unlocked() == 2; }));
  EXPECT_EQ(core.names().at(ip("198.18.0.1")), "a.test");
  EXPECT_EQ(core.manifest().outbounds[2].initial_choice, 1U);
  EXPECT_EQ(core.order(), "bind apply ");
}

// The control plane that follows knows nothing of the choice, and applies the manifest without it.
TEST_F(ContractTest, AChoiceThatAnApplyCarriedOverSurvivesARestart) {
  start_server();
  start_client();
  ASSERT_TRUE(events.wait_up(1));
  ASSERT_TRUE(apply(manifest_with(kBlob), {kBlob}).accepted);
  ASSERT_TRUE(select("G", "b"));
  stop_client();
  start_client();
  ASSERT_TRUE(events.wait_up(2));
  ASSERT_TRUE(apply(manifest_with(kBlob), {kBlob}).accepted);
  EXPECT_EQ(core.manifest().outbounds[2].initial_choice, 0U);
  stop_client();
  restart_server();
  ASSERT_TRUE(core.wait([&] { return core.applied_unlocked() == 3; }));
  EXPECT_EQ(core.manifest().outbounds[2].initial_choice, 1U);
}

TEST_F(ContractTest, AReconnectReplacesBindingsAndSendsOnlyMissingBlobs) {
  start_server();
  start_client();
  ASSERT_TRUE(events.wait_up(1));
  ASSERT_TRUE(apply(manifest_with(kBlob), {kBlob}).accepted);
  ASSERT_TRUE(bind(ip("198.18.0.1"), "a.test"));
  events.set_bindings({{ip("198.18.0.2"), "b.test", true, {}}});
  restart_server();
  ASSERT_TRUE(events.wait_up(2));
  const auto names = core.names();
  EXPECT_FALSE(names.contains(ip("198.18.0.1")));
  EXPECT_EQ(names.at(ip("198.18.0.2")), "b.test");
  ASSERT_TRUE(bind(ip("198.18.0.3"), "c.test"));
  EXPECT_EQ(core.names().size(), 2U);
}

TEST_F(ContractTest, EveryQuestionGetsOneAnswer) {
  start_server();
  start_client();
  ASSERT_TRUE(events.wait_up(1));
  ASSERT_TRUE(core.wait_control(true));
  for (std::uint64_t id = 1; id <= 500; ++id)
    ASSERT_TRUE(core.link()->ask({.id = id, .name = "n" + std::to_string(id) + ".test"}));
  ASSERT_TRUE(core.wait([&] { return core.answers_unlocked().size() == 500; }));
  for (const auto& [id, answer] : core.answers())
    EXPECT_EQ(answer.addresses, std::vector{IpAddress::v4(static_cast<std::uint32_t>(id))});
}

TEST_F(ContractTest, AHangingControlPlaneIsLostAndItsQuestionsFail) {
  start_server();
  start_client();
  ASSERT_TRUE(events.wait_up(1));
  ASSERT_TRUE(core.wait_control(true));
  events.answer_names(false);
  ASSERT_TRUE(core.link()->ask({.id = 9, .name = "a.test"}));
  events.set_healthy(false);
  ASSERT_TRUE(core.wait_control(false));
  ASSERT_TRUE(core.wait([&] { return core.answers_unlocked().contains(9); }));
  EXPECT_EQ(core.answers().at(9).error, Errc::unreachable);
  EXPECT_FALSE(core.link()->ask({.id = 10, .name = "b.test"}));
  events.set_healthy(true);
  ASSERT_TRUE(core.wait_control(true));
}

TEST_F(ContractTest, CountersAreExactAcrossADeathBeforeAndAfterTheCommit) {
  start_server();
  start_client();
  ASSERT_TRUE(events.wait_up(1));
  core.count(5);
  ASSERT_TRUE(events.wait([&] { return events.total_unlocked() == 5; }));
  // Dies with a batch that it never stored.
  events.store_counters(FakeEvents::Store::never);
  core.count(7);
  ASSERT_TRUE(events.wait([&] { return events.offered_unlocked() == 2; }));
  stop_client();
  core.count(1);
  // Dies after storing, before the acknowledgement leaves.
  events.store_counters(FakeEvents::Store::silently);
  start_client();
  ASSERT_TRUE(events.wait([&] { return events.total_unlocked() == 12; }));
  stop_client();
  events.store_counters(FakeEvents::Store::normal);
  start_client();
  ASSERT_TRUE(events.wait([&] { return events.total_unlocked() == 13; }));
}

TEST_F(ContractTest, CountersThatCannotBeStoredCostNoConnection) {
  start_server();
  start_client();
  ASSERT_TRUE(events.wait_up(1));
  events.store_counters(FakeEvents::Store::refused);
  core.count(5);
  ASSERT_TRUE(events.wait([&] { return events.offered_unlocked() >= 2; }));
  events.store_counters(FakeEvents::Store::normal);
  core.count(2);
  ASSERT_TRUE(events.wait([&] { return events.total_unlocked() == 7; }));
  EXPECT_EQ(events.downs(), 0);
}

TEST_F(ContractTest, FlowsAreListedWatchedClosedAndExplained) {
  core.set_flows({test::sample_flow(1), test::sample_flow(2)});
  start_server();
  start_client();
  ASSERT_TRUE(events.wait_up(1));
  const auto listed = list_flows();
  ASSERT_TRUE(listed);
  ASSERT_EQ(listed->size(), 2U);
  EXPECT_TRUE(test::same(listed->at(0), test::sample_flow(1)));

  std::set<std::uint64_t> open;
  auto watching = client->watch_flows(Millis{100}, [&](const contract::FlowEvents& e) {
    const std::lock_guard lock(events.mutex);
    if (e.reset) open.clear();
    for (const auto& flow : e.flows) open.insert(flow.id);
    for (const auto& flow : e.closed) open.erase(flow.id);
    events.changed.notify_all();
  });
  ASSERT_TRUE(events.wait([&] { return open == std::set<std::uint64_t>{1, 2}; }));
  const auto closed = close_flows({2, 99});
  ASSERT_TRUE(closed);
  EXPECT_EQ(*closed, 1U);
  ASSERT_TRUE(events.wait([&] { return open == std::set<std::uint64_t>{1}; }));
  watching = {};
  ASSERT_TRUE(core.wait([&] { return !core.watched_unlocked(); }));

  const auto why = explain("a.test");
  ASSERT_TRUE(why);
  EXPECT_EQ(why->rule_payload, "a.test");
}

TEST_F(ContractTest, LogRecordsReachTheWatcherAtItsLevel) {
  start_server();
  start_client();
  ASSERT_TRUE(events.wait_up(1));
  std::vector<std::string> seen;
  const auto watching =
      client->watch_log(LogLevel::warning, [&](const std::vector<contract::LogRecord>& records) {
        const std::lock_guard lock(events.mutex);
        for (const auto& record : records) seen.push_back(record.text);
        events.changed.notify_all();
      });
  ASSERT_TRUE(events.wait([&] {
    SLUICE_LOG(info, "test", "quiet");
    SLUICE_LOG(warning, "test", "loud");
    return std::ranges::find(seen, "loud") != seen.end();
  }));
  EXPECT_EQ(std::ranges::find(seen, "quiet"), seen.end());
}

TEST_F(ContractTest, WhenAwayCallsFailAtOnceAndApplyIsKeptForLater) {
  start_client();
  EXPECT_FALSE(ask_hello());
  EXPECT_FALSE(bind(ip("198.18.0.1"), "a.test"));
  const auto verdict = apply(manifest_with(kBlob), {kBlob});
  EXPECT_FALSE(verdict.accepted);
  EXPECT_NE(verdict.reason.find("away"), std::string::npos);
  start_server();
  ASSERT_TRUE(events.wait_up(1));
  EXPECT_EQ(core.applied_count(), 1U);
}

TEST_F(ContractTest, AServerOfAnotherUserIsNotTrusted) {
  trusted = {::geteuid() + 1};
  start_server();
  start_client();
  EXPECT_FALSE(ask_hello());
  EXPECT_FALSE(core.control());
}

TEST_F(ContractTest, APeerOfAnotherUserIsClosedUnread) {
  allowed = {::geteuid() + 1};
  start_server();
  auto socket = connect_unix(path());
  ASSERT_TRUE(socket);
  char byte = 0;
  ssize_t got = -1;
  ASSERT_TRUE(events.wait([&] {
    got = ::read(socket->get(), &byte, 1);
    return got == 0;
  }));
}

}  // namespace
}  // namespace sluice
