// The data plane proper with real workers, real sockets and no control plane: clients of a mixed
// listener reach an echo server, rules hold, generations follow each other.
#include "dataplane/app/data_plane.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>

#include <thread>

#include "proto/ruleset/builder.h"
#include "proto/runtime/net/open.h"
#include "proto/runtime/net/socket.h"
#include "tests/unit/dataplane/route/manifests.h"

namespace sluice::app {
namespace {

using route::test::Applied;

class NoNames final : public flow::NameSource {
 public:
  void ask(contract::NameQuery, unsigned) noexcept override {}
};

/// A capture that does what it is told, or refuses.
class FakeCapture final : public CaptureRunner {
 public:
  std::string prepare(const contract::Capture&, unsigned, DescriptorTable&) override { return {}; }
  std::uint64_t sockets() const override { return 0; }
  std::string engage(const contract::Capture&, const std::vector<Prefix>&) override {
    return problem;
  }
  void set_names_served(bool) override {}
  void withdraw() override { ++withdrawn; }
  void abandon() override { ++abandoned; }
  contract::CaptureState state() const override { return contract::CaptureState::off; }
  std::string error() const override { return {}; }
  contract::Abilities abilities() const override { return {}; }
  std::vector<std::uint16_t> ports() const override { return {}; }
  std::string problem;
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
