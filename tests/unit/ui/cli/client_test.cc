// The client against the real management server with a fake Service.
#include "ui/cli/client.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <thread>

#include "tests/unit/controlplane/manage/rig.h"
#include "ui/cli/run_dir.h"

namespace sluice::cli {
namespace {

/// The rig's socket as `cp/manage.sock` of a run directory.
class ClientTest : public manage::Rig {
 protected:
  void SetUp() override {
    Rig::SetUp();
    run_dir_ = directory_ + "/run";
    std::filesystem::create_directories(run_dir_ + "/cp");
    std::filesystem::create_symlink(path(), socket_of(run_dir_));
  }
  void TearDown() override {
    std::filesystem::remove_all(run_dir_);
    Rig::TearDown();
  }
  Client connected() {
    Outcome<Client> client = Client::connect(run_dir_);
    EXPECT_TRUE(client);
    return std::move(*client);
  }
  std::string run_dir_;
};

TEST_F(ClientTest, AsksAndGetsAnswers) {
  Client client = connected();
  EXPECT_EQ(client.version()->dataplane(), "1.2.2");
  service_.status_.generation = 9;
  EXPECT_EQ(client.status()->generation(), 9u);
  service_.flows_.upload_total = 3;
  EXPECT_EQ(client.flows()->upload_total(), 3u);
  pb::CloseFlowsRequest close;
  close.set_all(true);
  EXPECT_EQ(client.close_flows(close)->closed(), 99u);
  pb::ExplainRequest explain;
  explain.set_host("example.test");
  explain.set_port(443);
  EXPECT_EQ(client.explain(explain)->index(), 7);
  service_.rules_.unmatched = 4;
  EXPECT_EQ(client.rules()->unmatched(), 4u);
  service_.providers_.push_back({.name = "ads"});
  EXPECT_EQ(client.rule_providers()->providers(0).name(), "ads");
  pb::SetRulesRequest set;
  set.add_switches()->set_number(3);
  EXPECT_TRUE(client.set_rules(set));
  EXPECT_EQ(service_.toggles_, (std::vector<manage::RuleToggle>{{"", 3, false}}));
  EXPECT_EQ(client.diff({})->changes(0), "mixed-port: 1 -> 2");
  EXPECT_TRUE(client.apply({})->applied());
  EXPECT_EQ(client.rollback(2)->generation(), 2u);
  EXPECT_TRUE(client.capture_open()->was_closed());
}

TEST_F(ClientTest, TheRoutersOwnFaultsKeepTheirSentence) {
  Client client = connected();
  const struct {
    manage::FaultKind kind;
    ExitCode code;
  } table[] = {{manage::FaultKind::not_found, ExitCode::not_found},
               {manage::FaultKind::unavailable, ExitCode::unavailable},
               {manage::FaultKind::busy, ExitCode::unavailable},
               {manage::FaultKind::refused, ExitCode::refused},
               {manage::FaultKind::invalid, ExitCode::refused},
               {manage::FaultKind::internal, ExitCode::refused}};
  for (const auto& row : table) {
    service_.fault_ = manage::Fault{row.kind, "because; do this"};
    const auto reply = client.status();
    ASSERT_FALSE(reply);
    EXPECT_EQ(reply.error().code, row.code);
    EXPECT_EQ(reply.error().text, "because; do this");
  }
}

TEST_F(ClientTest, ALargeTableArrivesWhole) {
  service_.flows_.flows.resize(30'000);
  for (auto& flow : service_.flows_.flows) flow.rule_payload = std::string(300, 'x');
  const auto table = connected().flows();
  ASSERT_TRUE(table) << table.error().text;
  EXPECT_EQ(table->flows_size(), 30'000);
}

TEST_F(ClientTest, AStreamLastsUntilTheTakerHasEnough) {
  std::thread pusher([this] {
    service_.wait([](manage::FakeService& s) { return s.flow_watcher_ != nullptr; });
    const auto watcher = service_.flow_watcher_;
    for (std::uint64_t i = 1; watcher->push({i, 0, {}}); ++i) std::this_thread::yield();
  });
  int taken = 0;
  const auto done =
      connected().watch_flows(1000, [&](const pb::FlowTable&) { return ++taken < 3; });
  EXPECT_TRUE(done);
  EXPECT_EQ(taken, 3);
  pusher.join();
}

TEST_F(ClientTest, AnUpdateIsFollowedToItsEnd) {
  std::thread router([this] {
    service_.wait([](manage::FakeService& s) { return s.update_watcher_ != nullptr; });
    const auto watcher = service_.update_watcher_;
    watcher->push(
        {service_.update_names_.front(), manage::ProviderProgress::State::updated, 9, 9, {}});
    watcher->end();
  });
  pb::UpdateRuleProvidersRequest request;
  request.add_names("ads");
  std::vector<pb::RuleProviderUpdate> seen;
  const auto done = connected().update_rule_providers(request, [&](const auto& news) {
    seen.insert(seen.end(), news.updates().begin(), news.updates().end());
    return true;
  });
  router.join();
  EXPECT_TRUE(done);
  ASSERT_EQ(seen.size(), 1u);
  EXPECT_EQ(seen[0].name(), "ads");
  EXPECT_EQ(seen[0].state(), pb::REFRESH_UPDATED);
}

TEST_F(ClientTest, AStreamThatTheRouterEndsWithAFaultSaysSo) {
  std::thread ender([this] {
    service_.wait([](manage::FakeService& s) { return s.flow_watcher_ != nullptr; });
    service_.flow_watcher_->end({manage::FaultKind::unavailable, "the data plane is away; wait"});
  });
  const auto done = connected().watch_flows(1000, [](const pb::FlowTable&) { return true; });
  ender.join();
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, ExitCode::unavailable);
  EXPECT_EQ(done.error().text, "the data plane is away; wait");
}

TEST_F(ClientTest, ARouterThatGoesAwayIsToldFromOneThatRefuses) {
  Client client = connected();
  ASSERT_TRUE(client.version());
  stop();
  const auto gone = client.version();
  ASSERT_FALSE(gone);
  EXPECT_EQ(gone.error().code, ExitCode::no_router);
  EXPECT_NE(gone.error().text.find("sluice run -f FILE"), std::string::npos) << gone.error().text;
}

TEST_F(ClientTest, WithoutARouterTheSentenceNamesDirectoryReasonAndFix) {
  const auto client = Client::connect("/nonexistent/run");
  ASSERT_FALSE(client);
  EXPECT_EQ(client.error().code, ExitCode::no_router);
  EXPECT_EQ(client.error().text,
            "no router is running in /nonexistent/run (cp/manage.sock: No such file or directory); "
            "start one with `sluice run -f FILE`, or name its run directory with --run-dir");
  const auto deep = Client::connect("/" + std::string(200, 'x'));
  ASSERT_FALSE(deep);
  EXPECT_NE(deep.error().text.find("too long"), std::string::npos);
}

TEST_F(ClientTest, AStrangerIsToldHowToBeLetIn) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root to become another user";
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    if (::setgid(65534) != 0 || ::setuid(65534) != 0) ::_exit(9);
    const auto client = Client::connect(run_dir_);  // the mode alone keeps this user out
    const std::string text = client ? "let in" : client.error().text;
    (void)!::write(ends[1], text.data(), text.size());
    ::_exit(client ? 0 : static_cast<int>(client.error().code));
  }
  ::close(ends[1]);
  std::string text(1000, '\0');
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(0, ::read(ends[0], text.data(), 1000))));
  ::close(ends[0]);
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), static_cast<int>(ExitCode::no_router));
  EXPECT_NE(text.find("does not serve user 65534"), std::string::npos) << text;
  EXPECT_NE(text.find("usermod -aG sluice"), std::string::npos) << text;
}

}  // namespace
}  // namespace sluice::cli
