// The data plane proper with real workers, real sockets and no control plane: clients of a mixed
// listener reach an echo server, rules hold, generations follow each other.
#include "dataplane/app/data_plane.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>

#include <atomic>
#include <future>
#include <thread>
#include <tuple>

#include "dataplane/app/core_adapter.h"
#include "dataplane/app/limits.h"
#include "proto/ruleset/builder.h"
#include "proto/runtime/net/open.h"
#include "proto/runtime/net/socket.h"
#include "tests/unit/dataplane/app/few_descriptors.h"
#include "tests/unit/dataplane/route/manifests.h"

namespace sluice::app {
namespace {

using route::test::Applied;

class NoNames final : public flow::NameSource {
 public:
  void ask(contract::NameQuery, unsigned) noexcept override {}
};

/// A capture that does what it is told, or refuses; `while_...` run inside the calls.
class FakeCapture final : public CaptureRunner {
 public:
  std::string prepare(const contract::Capture&, unsigned) override {
    if (while_preparing) while_preparing();
    return {};
  }
  std::string engage(const contract::Capture& wanted, const std::vector<Prefix>&,
                     DescriptorTable&) override {
    if (while_engaging) while_engaging();
    if (problem.empty()) engaged.push_back(wanted);
    return problem;
  }
  bool has_shares() const override { return !shares.empty(); }
  std::vector<CaptureShare> take_shares() override {
    captures = captures || !shares.empty();
    return std::exchange(shares, {});
  }
  /// New sockets for two workers.
  void open_sockets() {
    for (int i = 0; i < 2; ++i)
      shares.push_back({std::move(*listen_tcp(*Endpoint::parse("127.0.0.1:0"))),
                        std::move(*bind_udp(*Endpoint::parse("127.0.0.1:0")))});
  }
  void discard() override {}
  void set_names_served(bool) override {}
  void withdraw() override { ++withdrawn; }
  void abandon() override { ++abandoned; }
  std::string open_guard() override { return {}; }
  contract::CaptureState state() const override { return contract::CaptureState::off; }
  std::string error() const override { return {}; }
  contract::Abilities abilities() const override { return {}; }
  std::vector<std::uint16_t> ports() const override {
    return captures || has_shares() ? std::vector<std::uint16_t>{1} : std::vector<std::uint16_t>{};
  }
  std::string problem;
  std::vector<contract::Capture> engaged;  ///< what it did, in order
  std::vector<CaptureShare> shares;
  bool captures = false;
  std::function<void()> while_preparing;
  std::function<void()> while_engaging;
  int withdrawn = 0;
  int abandoned = 0;
};

std::uint16_t free_port() {
  auto fd = listen_tcp(*Endpoint::parse("127.0.0.1:0"));
  return local_endpoint(fd->get()).port;
}

/// Accepts one connection after another and answers each read with the same bytes.
class Echo {
 public:
  Echo() : listener_(std::move(*listen_tcp(*Endpoint::parse("127.0.0.1:0")))) {
    at = local_endpoint(listener_.get());
    thread_ = std::thread([this] { serve(); });
  }
  ~Echo() {
    ::shutdown(listener_.get(), SHUT_RDWR);
    thread_.join();
  }
  Endpoint at;

 private:
  void serve() {
    for (;;) {
      pollfd waiting{listener_.get(), POLLIN, 0};
      ::poll(&waiting, 1, 5000);
      const int client = ::accept(listener_.get(), nullptr, nullptr);
      if (client < 0) return;
      std::array<char, 4096> buffer{};
      for (;;) {
        const ssize_t n = ::recv(client, buffer.data(), buffer.size(), 0);
        if (n <= 0) break;
        ::send(client, buffer.data(), static_cast<std::size_t>(n), MSG_NOSIGNAL);
      }
      ::close(client);
    }
  }
  UniqueFd listener_;
  std::thread thread_;
};

/// A blocking SOCKS5 client.
class Client {
 public:
  explicit Client(std::uint16_t port) : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    const timeval limit{5, 0};
    ::setsockopt(fd_.get(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    sockaddr_storage raw{};
    const socklen_t size = Endpoint{IpAddress::v4(0x7f000001), port}.to_sockaddr(raw);
    connected = ::connect(fd_.get(), reinterpret_cast<sockaddr*>(&raw), size) == 0;
  }
  /// The reply code, -1 when there was none.
  int connect_to(const Endpoint& to) {
    std::array<std::byte, 64> room{};
    Writer out{room};
    for (const unsigned b : {5U, 1U, 0U, 5U, 1U, 0U, 1U}) out.u8(static_cast<std::uint8_t>(b));
    out.bytes(to.ip.bytes());
    out.u16be(to.port);
    ::send(fd_.get(), out.written().data(), out.size(), MSG_NOSIGNAL);
    std::array<unsigned char, 12> reply{};
    if (::recv(fd_.get(), reply.data(), 12, MSG_WAITALL) != 12) return -1;
    return reply[3];
  }
  std::string talk(std::string_view text) {
    ::send(fd_.get(), text.data(), text.size(), MSG_NOSIGNAL);
    std::string back(text.size(), '\0');
    const ssize_t n = ::recv(fd_.get(), back.data(), back.size(), MSG_WAITALL);
    back.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
    return back;
  }
  bool connected = false;

 private:
  UniqueFd fd_;
};

class DataPlaneTest : public ::testing::Test {
 protected:
  void SetUp() override {
    home = std::move(*Loop::make());
    auto made = DataPlane::make(*home, {2, 0}, names, capture);
    ASSERT_TRUE(made);
    plane = std::move(*made);
    plane->start();
  }

  Applied manifest(std::uint32_t target) const {
    Applied out = route::test::base();
    ruleset::Builder rules;
    rules.always();
    route::test::set_rules(out, rules);
    out.manifest.rules = {{"Match", "", target}};
    out.manifest.listeners = {route::test::listener("DEFAULT-MIXED", "127.0.0.1", port)};
    return out;
  }

  contract::Verdict apply(Applied wanted) {
    std::vector<contract::BlobPtr> blobs;
    for (const auto& [digest, blob] : wanted.blobs) blobs.push_back(blob);
    std::optional<contract::Verdict> verdict;
    plane->apply(std::move(wanted.manifest), std::move(blobs),
                 [&](contract::Verdict v) { verdict = std::move(v); });
    for (int i = 0; i < 500 && !verdict; ++i) home->run_once(10_ms);
    EXPECT_TRUE(verdict);
    return verdict ? *verdict : contract::Verdict{};
  }

  std::vector<contract::FlowInfo> flows() {
    std::optional<std::vector<contract::FlowInfo>> got;
    plane->list_flows([&](std::vector<contract::FlowInfo> all) { got = std::move(all); });
    for (int i = 0; i < 500 && !got; ++i) home->run_once(10_ms);
    return got ? *got : std::vector<contract::FlowInfo>{};
  }

  NoNames names;
  FakeCapture capture;
  std::unique_ptr<Loop> home;
  std::unique_ptr<DataPlane> plane;
  std::uint16_t port = free_port();
};

TEST_F(DataPlaneTest, ServesNobodyBeforeTheFirstManifestAndEverybodyAfter) {
  EXPECT_FALSE(Client(port).connected);
  EXPECT_EQ(plane->status().generation, 0U);
  const auto verdict = apply(manifest(0));
  ASSERT_TRUE(verdict.accepted) << verdict.place << ": " << verdict.reason;
  EXPECT_EQ(verdict.generation, 1U);
  Echo echo;
  Client client(port);
  ASSERT_TRUE(client.connected);
  ASSERT_EQ(client.connect_to(echo.at), 0);
  EXPECT_EQ(client.talk("through the relay"), "through the relay");
  const auto running = flows();
  ASSERT_EQ(running.size(), 1U);
  EXPECT_EQ(running[0].inbound_name, "DEFAULT-MIXED");
  EXPECT_EQ(running[0].destination.to_string(), echo.at.to_string());
  EXPECT_EQ(running[0].rule, "Match");
  EXPECT_EQ(running[0].chains, std::vector<std::string>{"DIRECT"});
  EXPECT_EQ(running[0].upload, 17U);
  EXPECT_EQ(running[0].download, 17U);
}

TEST_F(DataPlaneTest, NewGenerationDecidesNewFlowsAndLeavesRunningOnesAlone) {
  ASSERT_TRUE(apply(manifest(0)).accepted);
  Echo echo;
  Client running(port);
  ASSERT_EQ(running.connect_to(echo.at), 0);
  ASSERT_TRUE(apply(manifest(1)).accepted);
  Client refused(port);
  EXPECT_EQ(refused.connect_to(echo.at), 2) << "not allowed by rule";
  EXPECT_EQ(running.talk("still here"), "still here");
  EXPECT_EQ(plane->status().generation, 2U);
}

TEST_F(DataPlaneTest, RefusedManifestChangesNothing) {
  ASSERT_TRUE(apply(manifest(0)).accepted);
  Applied broken = manifest(0);
  broken.manifest.rules[0].outbound = 99;
  const auto verdict = apply(std::move(broken));
  EXPECT_FALSE(verdict.accepted);
  EXPECT_EQ(verdict.generation, 1U);
  EXPECT_FALSE(verdict.place.empty());
  Echo echo;
  Client client(port);
  EXPECT_EQ(client.connect_to(echo.at), 0);
}

TEST_F(DataPlaneTest, PortThatIsTakenRefusesTheManifestByItsPlace) {
  auto taken = listen_tcp({IpAddress::v4(0x7f000001), port});
  ASSERT_TRUE(taken);
  const auto verdict = apply(manifest(0));
  EXPECT_FALSE(verdict.accepted);
  EXPECT_EQ(verdict.place, "listeners[0].port");
  EXPECT_NE(verdict.reason.find("in use"), std::string::npos);
}

TEST_F(DataPlaneTest, CaptureThatFailsPutsTheFormerDecisionsBack) {
  ASSERT_TRUE(apply(manifest(0)).accepted);
  capture.problem = "nf_tables is missing";
  const auto verdict = apply(manifest(1));
  EXPECT_FALSE(verdict.accepted);
  EXPECT_EQ(verdict.place, "capture");
  Echo echo;
  Client client(port);
  EXPECT_EQ(client.connect_to(echo.at), 0) << "the old rules still hold";
  EXPECT_EQ(plane->status().generation, 1U);
}

/// A group "Pick" of DIRECT and REJECT that every flow goes through.
Applied with_group(Applied out) {
  out.manifest.outbounds.push_back(route::test::group("Pick", {0, 1}));
  out.manifest.rules[0].outbound = static_cast<std::uint32_t>(out.manifest.outbounds.size() - 1);
  return out;
}

std::string picked(const SnapshotPtr& snapshot) {
  const auto group = snapshot->find_outbound("Pick");
  return snapshot->outbound(snapshot->outbound(*group).members[snapshot->choice(*group)]).name;
}

TEST_F(DataPlaneTest, SelectAmidAnApplyHoldsWhateverComesOfIt) {
  CoreAdapter core(2);
  core.connect(*plane, capture);
  for (const char* problem : {"", "nf_tables is missing"}) {
    for (const bool early : {true, false}) {
      SCOPED_TRACE(std::string(problem) + (early ? " before" : " after") + " publishing");
      capture = {};
      ASSERT_TRUE(apply(with_group(manifest(0))).accepted);
      const std::string other = picked(plane->current()) == "DIRECT" ? "REJECT" : "DIRECT";
      std::optional<Status> done;
      // From the control thread while it is built; at home while it is on its way.
      if (early)
        capture.while_preparing = [&] {
          core.select({{"Pick", other}}, [&](const Status& s) { done = s; });
        };
      else
        capture.while_engaging = [&] { done = plane->select({{"Pick", other}}); };
      capture.problem = problem;
      EXPECT_EQ(apply(with_group(manifest(0))).accepted, std::string(problem).empty());
      for (int i = 0; i < 100 && !done; ++i) home->run_once(10_ms);
      ASSERT_TRUE(done);
      EXPECT_TRUE(*done);
      EXPECT_EQ(picked(plane->current()), other);
    }
  }
}

TEST_F(DataPlaneTest, SelectOfAnUnknownMemberChangesNothing) {
  ASSERT_TRUE(apply(with_group(manifest(0))).accepted);
  EXPECT_EQ(plane->select({{"Pick", "REJECT"}, {"Pick", "nobody"}}).error().code, Errc::not_found);
  EXPECT_EQ(picked(plane->current()), "DIRECT");
}

// The helper may take seconds; DNS answers wait for bindings.
TEST_F(DataPlaneTest, BindingsReachWorkersWhileHomeWaitsForTheHelper) {
  CoreAdapter core(2);
  core.connect(*plane, capture);
  std::promise<bool> held;
  bool in_time = false;
  capture.while_engaging = [&] {
    contract::BindingBatch batch{1, false, {{IpAddress::v4(0xc6120001), "a.test", true, {}}}, {}};
    core.bind_names(std::move(batch), [&](bool ok) { held.set_value(ok); });
    in_time = held.get_future().wait_for(std::chrono::seconds(5)) == std::future_status::ready;
  };
  ASSERT_TRUE(apply(manifest(0)).accepted);
  EXPECT_TRUE(in_time);
}

/// Clients that come all the time; each must be served.
class Load {
 public:
  Load(std::uint16_t port, const Endpoint& to) {
    for (auto& thread : threads_)
      thread = std::thread([this, port, to] {
        while (!stop_) {
          Client client(port);
          if (client.connected && client.connect_to(to) == 0)
            ++served;
          else
            ++lost;
        }
      });
  }
  ~Load() { end(); }
  void end() {
    stop_ = true;
    for (auto& thread : threads_)
      if (thread.joinable()) thread.join();
  }
  std::atomic<int> served{0};
  std::atomic<int> lost{0};

 private:
  std::atomic<bool> stop_{false};
  std::array<std::thread, 4> threads_;
};

TEST_F(DataPlaneTest, ReplacedListenerLosesNoClient) {
  ASSERT_TRUE(apply(manifest(0)).accepted);
  Echo echo;
  Load load(port, echo.at);
  for (int round = 0; round < 6; ++round) {
    for (const auto& [name, kind, address] :
         {std::tuple{"a", contract::ListenerKind::socks, "127.0.0.1"},
          std::tuple{"a", contract::ListenerKind::mixed, "127.0.0.1"},     // the kind changes
          std::tuple{"b", contract::ListenerKind::mixed, "127.0.0.1"},     // the name
          std::tuple{"b", contract::ListenerKind::mixed, "0.0.0.0"},       // the address
          std::tuple{"c", contract::ListenerKind::mixed, "127.0.0.1"}}) {  // both
      Applied next = manifest(0);
      next.manifest.listeners = {route::test::listener(name, address, port)};
      next.manifest.listeners[0].kind = kind;
      const auto verdict = apply(std::move(next));
      ASSERT_TRUE(verdict.accepted) << verdict.reason;
      const int before = load.served;
      for (int i = 0; i < 500 && load.served < before + 20; ++i) home->run_once(10_ms);
      EXPECT_GE(load.served, before + 20);
    }
  }
  load.end();
  EXPECT_EQ(load.lost, 0) << "of " << load.served;
}

// The helper is asked in between; clients get their time after that.
TEST_F(DataPlaneTest, TheHandOverIsWholeThoughTheCaptureTookLong) {
  ASSERT_TRUE(apply(manifest(0)).accepted);
  Applied elsewhere = manifest(0);
  elsewhere.manifest.listeners[0].address = *IpAddress::parse("0.0.0.0");
  Moment engaged;
  capture.while_engaging = [&] {
    // Until the turn's moment is of the past.
    while (monotonic_now() - home->now() < 10_ms) {
    }
    engaged = monotonic_now();
  };
  ASSERT_TRUE(apply(std::move(elsewhere)).accepted);
  EXPECT_GE((monotonic_now() - engaged).count, kHandOver.count);
}

// Clients whose handshake began with the old sockets end it there.
TEST_F(DataPlaneTest, SocketsOfTheCaptureAreHandedOverLikeThoseOfListeners) {
  const auto took = [&] {
    capture.open_sockets();
    const Moment began = monotonic_now();
    EXPECT_TRUE(apply(manifest(0)).accepted);
    return (monotonic_now() - began).count;
  };
  const auto first = took();
  const auto second = took();
  EXPECT_GE(second, kHandOver.count);
  EXPECT_LT(first, second);
}

TEST_F(DataPlaneTest, AListenerThatCannotListenRefusesTheManifest) {
  ASSERT_TRUE(apply(manifest(0)).accepted);
  const std::uint16_t second = free_port();
  Applied both = manifest(0);
  both.manifest.listeners = {route::test::listener("DEFAULT-MIXED", "0.0.0.0", port),
                             route::test::listener("b", "127.0.0.1", second)};
  Result<UniqueFd> intruder;
  // Bound by us by now, but not open yet.
  capture.while_preparing = [&] { intruder = listen_tcp({IpAddress::v4(0x7f000001), second}); };
  bool captured = false;
  capture.while_engaging = [&] { captured = true; };
  const auto verdict = apply(std::move(both));
  ASSERT_TRUE(intruder);
  EXPECT_FALSE(verdict.accepted);
  EXPECT_EQ(verdict.place, "listeners[1].port");
  EXPECT_FALSE(captured);
  Echo echo;
  EXPECT_EQ(Client(port).connect_to(echo.at), 0) << "the old sockets still let clients in";
}

// While the helper is asked, clients come; were the sockets dropped that they wait in, they would
// be reset.
TEST_F(DataPlaneTest, ACaptureThatRefusesResetsNoClientOfAPortThatMoves) {
  Applied everywhere = manifest(0);
  everywhere.manifest.listeners[0].address = *IpAddress::parse("0.0.0.0");
  ASSERT_TRUE(apply(std::move(everywhere)).accepted);
  Echo echo;
  std::vector<std::unique_ptr<Client>> clients;
  capture.problem = "nf_tables is missing";
  capture.while_engaging = [&] {
    for (int i = 0; i < 16; ++i) clients.push_back(std::make_unique<Client>(port));
  };
  EXPECT_FALSE(apply(manifest(0)).accepted);
  for (const auto& client : clients) EXPECT_EQ(client->connect_to(echo.at), 0);
}

TEST_F(DataPlaneTest, APortThatIsTakenWhileItMovesBringsTheFormerCaptureBack) {
  Applied first = manifest(0);
  first.manifest.capture.interfaces = {"lan0"};
  ASSERT_TRUE(apply(std::move(first)).accepted);
  Applied next = manifest(0);
  next.manifest.listeners[0].address = *IpAddress::parse("127.0.0.2");
  next.manifest.capture.interfaces = {"lan1"};
  Result<UniqueFd> intruder = fail(Errc::not_found);
  capture.while_engaging = [&] {
    if (!intruder) intruder = listen_tcp({*IpAddress::parse("127.0.0.2"), port});
  };
  const auto verdict = apply(std::move(next));
  ASSERT_TRUE(intruder);
  EXPECT_FALSE(verdict.accepted);
  EXPECT_EQ(verdict.place, "listeners[0].port");
  ASSERT_EQ(capture.engaged.size(), 3U);
  EXPECT_EQ(capture.engaged[2].interfaces, std::vector<std::string>{"lan0"});
  Echo echo;
  EXPECT_EQ(Client(port).connect_to(echo.at), 0);
}

// Workers need descriptors of their own; one that got none would leave a share of clients unheard.
TEST_F(DataPlaneTest, WithFewDescriptorsAManifestIsRefusedOrWhollyServed) {
  ASSERT_TRUE(apply(manifest(0)).accepted);
  Echo echo;
  const std::uint16_t second = free_port();
  bool accepted = false;
  for (int left = 0; !accepted; ++left) {
    ASSERT_LT(left, 40);
    Applied next = manifest(0);
    next.manifest.listeners.push_back(route::test::listener("second", "127.0.0.1", second));
    contract::Verdict verdict;
    {
      const test::FewDescriptors few(left);
      verdict = apply(std::move(next));
    }
    accepted = verdict.accepted;
    EXPECT_TRUE(accepted || verdict.place == "listeners[1].port") << verdict.place;
    EXPECT_EQ(Client(port).connect_to(echo.at), 0) << left;
  }
  for (int i = 0; i < 16; ++i) EXPECT_EQ(Client(second).connect_to(echo.at), 0);
}

TEST_F(DataPlaneTest, AStopAmidAnApplyIsNotTheCapturesFault) {
  ASSERT_TRUE(apply(manifest(0)).accepted);
  capture.while_preparing = [&] {
    home->post(make_job([&] { plane->drain(Ending::asked, 0_ms, [] {}); }));
  };
  const auto verdict = apply(manifest(1));
  EXPECT_FALSE(verdict.accepted);
  EXPECT_EQ(verdict.reason, "the data plane is stopping");
  EXPECT_EQ(verdict.place, "");
}

TEST_F(DataPlaneTest, ListenersThatSwapTheirPortsBothServe) {
  const std::uint16_t second = free_port();
  Applied first = manifest(0);
  first.manifest.listeners = {route::test::listener("a", "127.0.0.1", port),
                              route::test::listener("b", "127.0.0.1", second)};
  ASSERT_TRUE(apply(std::move(first)).accepted);
  Applied swapped = manifest(0);
  swapped.manifest.listeners = {route::test::listener("a", "127.0.0.1", second),
                                route::test::listener("b", "127.0.0.1", port)};
  ASSERT_TRUE(apply(std::move(swapped)).accepted);
  Echo echo;
  Client client(second);
  ASSERT_EQ(client.connect_to(echo.at), 0);
  const auto running = flows();
  ASSERT_EQ(running.size(), 1U);
  EXPECT_EQ(running[0].inbound_name, "a");
  EXPECT_EQ(Client(port).connect_to(echo.at), 0);
}

TEST_F(DataPlaneTest, UnchangedListenerKeepsItsSocketsAndRemovedOneCloses) {
  ASSERT_TRUE(apply(manifest(0)).accepted);
  const auto before = plane->descriptors().names();
  ASSERT_TRUE(apply(manifest(1)).accepted);
  EXPECT_EQ(plane->descriptors().names(), before);
  Applied none = manifest(0);
  none.manifest.listeners.clear();
  ASSERT_TRUE(apply(std::move(none)).accepted);
  for (int i = 0; i < 20; ++i) home->run_once(5_ms);
  EXPECT_FALSE(Client(port).connected);
}

TEST_F(DataPlaneTest, FlowToOurOwnListenerIsRefusedAsALoop) {
  ASSERT_TRUE(apply(manifest(0)).accepted);
  for (int i = 0; i < 10; ++i) home->run_once(5_ms);
  Client client(port);
  EXPECT_NE(client.connect_to({IpAddress::v4(0x7f000001), port}), 0);
}

TEST_F(DataPlaneTest, ClosingAFlowEndsIt) {
  ASSERT_TRUE(apply(manifest(0)).accepted);
  Echo echo;
  Client client(port);
  ASSERT_EQ(client.connect_to(echo.at), 0);
  const auto running = flows();
  ASSERT_EQ(running.size(), 1U);
  std::optional<std::uint64_t> closed;
  plane->close_flows({running[0].id}, false, [&](std::uint64_t n) { closed = n; });
  for (int i = 0; i < 500 && !closed; ++i) home->run_once(10_ms);
  EXPECT_EQ(closed, 1U);
  EXPECT_EQ(client.talk("x"), "");
}

TEST_F(DataPlaneTest, DrainClosesListenersAndEndsWhenFlowsAreGone) {
  ASSERT_TRUE(apply(manifest(0)).accepted);
  Echo echo;
  auto client = std::make_unique<Client>(port);
  ASSERT_EQ(client->connect_to(echo.at), 0);
  bool done = false;
  plane->drain(Ending::asked, 5_s, [&] { done = true; });
  for (int i = 0; i < 20; ++i) home->run_once(10_ms);
  EXPECT_FALSE(done);
  EXPECT_FALSE(Client(port).connected);
  EXPECT_EQ(client->talk("finishing"), "finishing");
  client.reset();
  for (int i = 0; i < 500 && !done; ++i) home->run_once(10_ms);
  EXPECT_TRUE(done);
  EXPECT_EQ(capture.withdrawn, 1);
}

TEST_F(DataPlaneTest, AnOrphanLeavesTheGuardOfItsCapture) {
  ASSERT_TRUE(apply(manifest(0)).accepted);
  bool done = false;
  plane->drain(Ending::orphaned, 5_s, [&] { done = true; });
  for (int i = 0; i < 500 && !done; ++i) home->run_once(10_ms);
  EXPECT_TRUE(done);
  EXPECT_EQ(capture.abandoned, 1);
  EXPECT_EQ(capture.withdrawn, 0);
}

}  // namespace
}  // namespace sluice::app
