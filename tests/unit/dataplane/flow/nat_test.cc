// The NAT of one worker with real UDP sockets: mapping, filtering, fake addresses, budgets.
#include "dataplane/flow/nat.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>

#include "dataplane/flow/engine.h"
#include "proto/ruleset/builder.h"
#include "proto/runtime/net/open.h"
#include "proto/runtime/net/socket.h"
#include "tests/unit/dataplane/flow/pair.h"
#include "tests/unit/dataplane/route/manifests.h"

namespace sluice::flow {
namespace {

const IpAddress kLoopback = IpAddress::v4(0x7f000001);
const Endpoint kClient{IpAddress::v4(0xc0000201), 4000};

class NoNames final : public NameSource {
 public:
  void ask(contract::NameQuery query, unsigned) noexcept override {
    queries.push_back(std::move(query));
  }
  std::vector<contract::NameQuery> queries;
};

class Quiet final : public EngineSink {
 public:
  void counted(unsigned, EngineTotals, std::vector<contract::CounterDelta>) noexcept override {}
  void flows_closed(std::vector<contract::FlowInfo>) noexcept override {}
};

/// Keeps what comes back for clients.
class Replies final : public ClientSide {
 public:
  struct One {
    Endpoint client;
    Endpoint from;
    std::string text;
  };
  void reply(const Endpoint& client, std::span<Packet> packets) noexcept override {
    for (const Packet& p : packets)
      all.push_back({client, p.from, std::string(as_text(p.bytes()))});
  }
  std::vector<One> all;
};

/// A peer on 127.0.0.1.
class Peer {
 public:
  Peer() : fd_(std::move(*bind_udp({kLoopback, 0}))), at(local_endpoint(fd_.get())) {}
  struct Got {
    std::string text;
    Endpoint from;
  };
  std::optional<Got> receive() {
    pollfd waiting{fd_.get(), POLLIN, 0};
    if (::poll(&waiting, 1, 1000) != 1) return std::nullopt;
    std::string text(70000, '\0');
    sockaddr_storage raw{};
    socklen_t size = sizeof raw;
    const ssize_t n = ::recvfrom(fd_.get(), text.data(), text.size(), 0,
                                 reinterpret_cast<sockaddr*>(&raw), &size);
    text.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
    return Got{text, Endpoint::from_sockaddr(reinterpret_cast<sockaddr*>(&raw))};
  }
  void send(const Endpoint& to, std::string_view text) {
    const OutDatagram out{as_byte_view(text), to, {}};
    send_batch(fd_.get(), {&out, 1}, false);
  }

 private:
  UniqueFd fd_;

 public:
  Endpoint at;
};

class NatTest : public ::testing::Test {
 protected:
  void SetUp() override {
    worker = std::move(*Worker::make({0, 0}, budget, owner));
    engine = std::make_unique<Engine>(*worker, 1, names, sink);
    use_rules([](ruleset::Builder& rules, contract::Manifest& m) {
      rules.always();
      m.rules = {{"Match", "", 0}};
    });
  }
  void TearDown() override {
    worker->loop().end_roots();
    engine->nat().forget(replies, "end");
    engine.reset();
    worker->snapshots().publish(nullptr);
  }

  template <class F>
  void use_rules(F&& fill) {
    auto base = route::test::base();
    ruleset::Builder rules;
    fill(rules, base.manifest);
    route::test::set_rules(base, rules);
    base.manifest.fake_ranges = {*Prefix::parse("198.18.0.0/16")};
    auto built = route::build_snapshot(std::move(base.manifest), base.blobs, 1, nullptr);
    ASSERT_TRUE(built) << built.error().place << " " << built.error().reason;
    snapshots.push_back(std::move(*built));
    worker->snapshots().publish(snapshots.back().get());
  }

  void forward(const Endpoint& to, std::string_view text, Endpoint client = kClient) {
    std::array<std::byte, 70400> room{};
    std::memcpy(room.data() + kHeadroom, text.data(), text.size());
    Packet packet{.data = room.data() + kHeadroom,
                  .size = text.size(),
                  .headroom = kHeadroom,
                  .tailroom = room.size() - kHeadroom - text.size()};
    Request facts;
    facts.network = Network::udp;
    facts.inbound_type = contract::InboundType::tproxy;
    facts.source = client;
    Destination destination;
    destination.ip = to.ip;
    destination.port = to.port;
    engine->nat().forward(replies, facts, destination, packet);
    engine->nat().flush();
  }
  template <class F>
  void turn_until(F&& done) {
    for (int i = 0; i < 400 && !done(); ++i) worker->loop().run_once(5_ms);
    ASSERT_TRUE(done());
  }

  MemoryBudget budget{8U << 20U};
  NoOwner owner;
  NoNames names;
  Quiet sink;
  Replies replies;
  std::unique_ptr<Worker> worker;
  std::unique_ptr<Engine> engine;
  std::vector<std::unique_ptr<const route::Snapshot>> snapshots;
};

TEST_F(NatTest, OneClientPortKeepsOneSourcePortWhoeverItTalksTo) {
  Peer a;
  Peer b;
  forward(a.at, "to a");
  forward(b.at, "to b");
  const auto at_a = a.receive();
  const auto at_b = b.receive();
  ASSERT_TRUE(at_a && at_b);
  EXPECT_EQ(at_a->text, "to a");
  EXPECT_EQ(at_a->from.port, at_b->from.port);
  forward(a.at, "other client", {IpAddress::v4(0xc0000202), 4000});
  const auto other = a.receive();
  ASSERT_TRUE(other);
  EXPECT_NE(other->from.port, at_a->from.port);
  EXPECT_EQ(engine->nat().count(), 2U);
  EXPECT_EQ(engine->flows().count(), 2U) << "one record per client port, outbound and rule";
}

TEST_F(NatTest, RepliesCarryTheirSourceAndStrangersMayAnswer) {
  Peer a;
  Peer stranger;
  forward(a.at, "hello");
  const auto got = a.receive();
  ASSERT_TRUE(got);
  const Endpoint mapped{kLoopback, got->from.port};
  a.send(mapped, "back");
  stranger.send(mapped, "full cone");
  turn_until([&] { return replies.all.size() == 2; });
  EXPECT_EQ(replies.all[0].client, kClient);
  EXPECT_EQ(replies.all[0].from, a.at);
  EXPECT_EQ(replies.all[1].from, stranger.at);
  const auto flows = engine->flows().list();
  ASSERT_EQ(flows.size(), 1U);
  EXPECT_EQ(flows[0].upload, 5U);
  EXPECT_EQ(flows[0].download, 13U);
  EXPECT_EQ(flows[0].state, contract::FlowState::open);
}

TEST_F(NatTest, EmptyAndLargeDatagramsPassWhole) {
  Peer a;
  forward(a.at, "first");
  ASSERT_TRUE(a.receive());
  forward(a.at, "");
  const auto empty = a.receive();
  ASSERT_TRUE(empty);
  EXPECT_EQ(empty->text, "");
  const std::string large(60000, 'x');
  forward(a.at, large);
  const auto got = a.receive();
  ASSERT_TRUE(got);
  EXPECT_TRUE(got->text == large);
}

TEST_F(NatTest, FakeAddressGoesToItsRealOneAndRepliesComeFromTheFake) {
  Peer a;
  const Endpoint fake{IpAddress::v4(0xc6120004), a.at.port};
  auto batch = std::make_shared<contract::BindingBatch>();
  batch->add = {{fake.ip, "u.test", true, {}}};
  engine->apply_bindings(batch);
  engine->names().set_reachable(true);
  forward(fake, "kept while the name is asked");
  ASSERT_EQ(names.queries.size(), 1U);
  EXPECT_EQ(names.queries[0].name, "u.test");
  contract::NameAnswer answer;
  answer.id = names.queries[0].id;
  answer.addresses = {kLoopback};
  answer.ttl_s = 60;
  engine->names().answer(answer);
  turn_until([&] { return engine->flows().count() == 1; });
  const auto got = a.receive();
  ASSERT_TRUE(got);
  EXPECT_EQ(got->text, "kept while the name is asked");
  a.send({kLoopback, got->from.port}, "answer");
  turn_until([&] { return replies.all.size() == 1; });
  EXPECT_EQ(replies.all[0].from, fake);
  EXPECT_EQ(engine->flows().list()[0].destination.name, "u.test");
}

TEST_F(NatTest, UnknownFakeAddressIsDroppedWithoutAQuestion) {
  engine->names().set_reachable(true);
  forward({IpAddress::v4(0xc61200ff), 9}, "nobody");
  EXPECT_TRUE(names.queries.empty());
  EXPECT_EQ(engine->flows().count(), 0U);
}

TEST_F(NatTest, RulesHoldPerDestinationOfOneClientPort) {
  Peer allowed;
  Peer refused;
  use_rules([&](ruleset::Builder& rules, contract::Manifest& m) {
    const std::array<ruleset::PortRange, 1> port{{{refused.at.port, refused.at.port}}};
    rules.destination_ports(port);
    rules.always();
    m.rules = {{"DstPort", std::to_string(refused.at.port), 1}, {"Match", "", 0}};
  });
  forward(refused.at, "no");
  forward(allowed.at, "yes");
  ASSERT_TRUE(allowed.receive());
  forward(refused.at, "still no");
  for (int i = 0; i < 5; ++i) worker->loop().run_once(1_ms);
  const auto flows = engine->flows().list();
  ASSERT_EQ(flows.size(), 1U);
  EXPECT_EQ(flows[0].rule, "Match");
}

TEST_F(NatTest, ClosingTheFlowEndsTheMapping) {
  Peer a;
  forward(a.at, "one");
  const auto first = a.receive();
  ASSERT_TRUE(first);
  EXPECT_EQ(engine->flows().close({}, "closed by the user"), 1U);
  forward(a.at, "dropped");
  turn_until([&] { return engine->flows().count() == 0; });
  forward(a.at, "anew");
  const auto again = a.receive();
  ASSERT_TRUE(again);
  EXPECT_EQ(again->text, "anew");
}

TEST_F(NatTest, ForgettingAClientSideEndsItsAssociations) {
  Peer a;
  forward(a.at, "x");
  ASSERT_EQ(engine->nat().count(), 1U);
  engine->nat().forget(replies, "gone");
  EXPECT_EQ(engine->nat().count(), 0U);
  EXPECT_EQ(engine->flows().count(), 0U);
}

}  // namespace
}  // namespace sluice::flow
