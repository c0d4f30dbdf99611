// The NAT of one worker with real UDP sockets: mapping, filtering, fake addresses, budgets.
#include "dataplane/flow/nat.h"

#include <gtest/gtest.h>

#include <map>

#include "dataplane/flow/limits.h"
#include "dataplane/protocol/shadowsocks/datagram.h"
#include "tests/unit/dataplane/flow/nat_rig.h"

namespace sluice::flow {
namespace {

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

// One destination that answers by ICMP concerns nobody else: not the mapping, not one datagram.
TEST_F(NatTest, AnUnreachablePortIsToldAndEverythingElseGoesOn) {
  Peer a;
  std::optional<Peer> closed(std::in_place);
  const Endpoint nobody = closed->at;
  closed.reset();
  forward(a.at, "before");
  const auto before = a.receive();
  ASSERT_TRUE(before);
  for (int i = 0; i < 3; ++i) {
    forward(nobody, "into the void");
    forward(a.at, "between");
    const auto between = a.receive();
    ASSERT_TRUE(between) << "an error of another destination must not cost a datagram";
    EXPECT_EQ(between->from, before->from);
  }
  turn_until([&] { return !replies.errors.empty(); });
  EXPECT_EQ(replies.errors[0].client, kClient);
  EXPECT_EQ(replies.errors[0].to, nobody);
  EXPECT_EQ(replies.errors[0].why, Unreachable::port);
  a.send({kLoopback, before->from.port}, "back");
  turn_until([&] { return replies.all.size() == 1; });
}

// The client knows the destination by its fake address.
TEST_F(NatTest, AnUnreachablePortIsToldByTheAddressTheClientUsed) {
  std::optional<Peer> closed(std::in_place);
  const Endpoint fake{IpAddress::v4(0xc6120004), closed->at.port};
  closed.reset();
  bind_names({{fake.ip, "u.test", true, {}}});
  forward(fake, "x");
  answer(0, kLoopback);
  turn_until([&] { return !replies.errors.empty(); });
  EXPECT_EQ(replies.errors[0].to, fake);
}

TEST_F(NatTest, FakeAddressGoesToItsRealOneAndRepliesComeFromTheFake) {
  Peer a;
  const Endpoint fake{IpAddress::v4(0xc6120004), a.at.port};
  bind_names({{fake.ip, "u.test", true, {}}});
  forward(fake, "kept while the name is asked");
  ASSERT_EQ(names.queries.size(), 1U);
  EXPECT_EQ(names.queries[0].name, "u.test");
  answer(0, kLoopback);
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
    m.rules = {{"DstPort", std::to_string(refused.at.port), 1, 3}, {"Match", "", 0, 5}};
  });
  forward(refused.at, "no");
  forward(allowed.at, "yes");
  ASSERT_TRUE(allowed.receive());
  forward(refused.at, "still no");
  for (int i = 0; i < 5; ++i) worker->loop().run_once(1_ms);
  EXPECT_FALSE(refused.receive(20)) << "nothing may have left for it";
  const auto flows = engine->flows().list();
  ASSERT_EQ(flows.size(), 1U);
  EXPECT_EQ(flows[0].rule, "Match");
  EXPECT_EQ(flows[0].rule_index, 5);  // as the user counts, not the place in the manifest
}

TEST_F(NatTest, ProxyThatIsNotBuiltIsNamedInTheRecord) {
  engine->flows().watch(true);
  use_rules([](ruleset::Builder& rules, contract::Manifest& m) {
    m.outbounds[4].udp = true;
    rules.always();
    m.rules = {{"Match", "", 4}};
  });
  Peer a;
  forward(a.at, "nowhere to go");
  EXPECT_FALSE(a.receive(20));
  engine->report();
  ASSERT_EQ(sink.closed.size(), 1U);
  EXPECT_EQ(sink.closed[0].close_reason,
            "proxy unbuilt (type Vmess): its type or one of its options is not built in");
}

// Each reply comes from the fake address that was written to, in whatever order they arrive.
TEST_F(NatTest, FakeAddressesThatShareARealOneAreToldApart) {
  Peer a;
  const Endpoint first{IpAddress::v4(0xc6120004), a.at.port};
  const Endpoint second{IpAddress::v4(0xc6120005), a.at.port};
  bind_names({{first.ip, "u.test", true, {}}, {second.ip, "v.test", true, {}}});
  forward(first, "to u");
  forward(second, "to v");
  forward(a.at, "to itself");
  answer(0, kLoopback);
  answer(1, kLoopback);
  std::map<std::string, Endpoint> mapped;
  turn_until([&] {
    while (const auto got = a.receive(0)) mapped[got->text] = {kLoopback, got->from.port};
    return mapped.size() == 3;
  });
  a.send(mapped["to v"], "from v");
  a.send(mapped["to u"], "from u");
  a.send(mapped["to itself"], "from itself");
  turn_until([&] { return replies.all.size() == 3; });
  std::map<std::string, Endpoint> shown;
  for (const auto& one : replies.all) shown[one.text] = one.from;
  EXPECT_EQ(shown["from u"], first);
  EXPECT_EQ(shown["from v"], second);
  EXPECT_EQ(shown["from itself"], a.at);
}

TEST_F(NatTest, NamesThatNeedNoTellingApartShareTheSourcePort) {
  Peer a;
  Peer b;
  const Endpoint first{IpAddress::v4(0xc6120004), a.at.port};
  const Endpoint second{IpAddress::v4(0xc6120005), b.at.port};
  bind_names({{first.ip, "u.test", true, {}}, {second.ip, "v.test", true, {}}});
  forward(first, "to u");
  forward(second, "to v");
  answer(0, kLoopback);
  answer(1, kLoopback);
  turn_until([&] { return engine->flows().count() == 1; });
  for (int i = 0; i < 5; ++i) worker->loop().run_once(1_ms);
  const auto at_a = a.receive();
  const auto at_b = b.receive();
  ASSERT_TRUE(at_a && at_b);
  EXPECT_EQ(at_a->from.port, at_b->from.port);
}

/// A Shadowsocks server: what it gets, and answers in the name of any address.
class Server {
 public:
  explicit Server(Peer& peer) : peer_(peer) {}
  struct Got {
    std::string to;
    std::string text;
    Endpoint from;
  };
  std::optional<Got> receive() {
    auto wire = peer_.receive(0);
    if (!wire) return std::nullopt;
    Packet packet{.data = reinterpret_cast<std::byte*>(wire->text.data()),
                  .size = wire->text.size()};
    const auto to = cipher_.open(packet);
    if (!to) return std::nullopt;
    return Got{socks::to_destination(*to)->to_string(), std::string(as_text(packet.bytes())),
               wire->from};
  }
  void answer(const Endpoint& client, std::string_view source, std::string_view text) {
    std::array<std::byte, 2048> room{};
    std::memcpy(room.data() + kHeadroom, text.data(), text.size());
    Packet packet{.data = room.data() + kHeadroom,
                  .size = text.size(),
                  .headroom = kHeadroom,
                  .tailroom = room.size() - kHeadroom - text.size()};
    const Endpoint from = *Endpoint::parse(source);
    EXPECT_TRUE(cipher_.seal(packet, *Destination::from_host(from.ip.to_string(), from.port)));
    peer_.send(client, as_text(packet.bytes()));
  }

 private:
  Peer& peer_;
  shadowsocks::Key key_ = *shadowsocks::Key::make(crypto::AeadKind::aes_128_gcm, "secret");
  shadowsocks::DatagramCipher cipher_ = *shadowsocks::DatagramCipher::make(key_);
};

// The proxy resolves the names, to one address or to many: nobody here can know.
TEST_F(NatTest, NamesThatAProxyResolvesAreToldApart) {
  Peer peer;
  Server server(peer);
  use_rules([&](ruleset::Builder& rules, contract::Manifest& m) {
    m.outbounds[5].server = "127.0.0.1";
    m.outbounds[5].port = peer.at.port;
    rules.always();
    m.rules = {{"Match", "", 5}};
  });
  const Endpoint first{IpAddress::v4(0xc6120004), 443};
  const Endpoint second{IpAddress::v4(0xc6120005), 443};
  bind_names({{first.ip, "u.test", true, {}}, {second.ip, "v.test", true, {}}});
  forward(first, "one");
  forward(second, "two");
  std::map<std::string, Endpoint> mapped;
  turn_until([&] {
    while (const auto got = server.receive()) mapped[got->to] = got->from;
    return mapped.size() == 2;
  });
  server.answer(mapped["u.test:443"], "9.9.9.9:443", "from u");
  server.answer(mapped["v.test:443"], "9.9.9.9:443", "from v");
  server.answer(mapped["u.test:443"], "8.8.8.8:443", "from u, elsewhere");
  turn_until([&] { return replies.all.size() == 3; });
  std::map<std::string, Endpoint> shown;
  for (const auto& one : replies.all) shown[one.text] = one.from;
  EXPECT_EQ(shown["from u"], first);
  EXPECT_EQ(shown["from v"], second);
  EXPECT_EQ(shown["from u, elsewhere"], first);
}

TEST_F(NatTest, SessionsOfOneClientPortAreBounded) {
  Peer a;
  std::vector<contract::Binding> bindings;
  for (std::uint32_t i = 0; i < kSessionsPerClient + 20; ++i)
    bindings.push_back(
        {IpAddress::v4(0xc6120100 + i), "n" + std::to_string(i) + ".test", true, {}});
  bind_names(bindings);
  for (std::uint32_t i = 0; i < bindings.size(); ++i) {
    forward({bindings[i].address, a.at.port}, "x");
    answer(i, kLoopback);
    worker->loop().run_once(0_ms);
  }
  turn_until([&] { return engine->flows().count() >= kSessionsPerClient; });
  for (int i = 0; i < 5; ++i) worker->loop().run_once(1_ms);
  EXPECT_EQ(engine->flows().count(), kSessionsPerClient);
}

// The table is full: whoever was silent longest makes room, be it the first one or not.
TEST_F(NatTest, LeastRecentlyUsedClientMakesRoom) {
  engine->flows().watch(true);
  const Endpoint quiet{IpAddress::v4(0x0a000000), 4000};
  const Endpoint lively{IpAddress::v4(0x0a000001), 4000};
  use_rules([](ruleset::Builder& rules, contract::Manifest& m) {
    rules.source(*Prefix::parse("10.0.0.0/31"));
    rules.always();
    m.rules = {{"SrcIPCIDR", "10.0.0.0/31", 0}, {"Match", "", 1}};
  });
  Peer a;
  forward(a.at, "x", lively);
  forward(a.at, "x", quiet);
  for (std::uint32_t i = 2; i < kMappings; ++i)
    forward(a.at, "x", {IpAddress::v4(0x0a000000 + i), 4000});
  wait_a_moment();
  forward(a.at, "x", lively);
  (void)engine->flows().take_closed();
  forward(a.at, "x", {IpAddress::v4(0x0b000000), 4000});
  EXPECT_EQ(engine->nat().count(), kMappings);
  const auto closed = engine->flows().take_closed();
  ASSERT_EQ(closed.size(), 2U) << "the refused newcomer's record, and the one that made room";
  EXPECT_EQ(closed[0].source, quiet);
  EXPECT_EQ(closed[0].close_reason, "the UDP table was full");
}

TEST_F(NatTest, ClosingTheFlowEndsTheMapping) {
  Peer a;
  forward(a.at, "one");
  const auto first = a.receive();
  ASSERT_TRUE(first);
  EXPECT_EQ(
      engine->flows().close({}, {contract::CloseReason::closed_by_user, "closed by the user"}), 1U);
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
  engine->nat().forget(replies, {contract::CloseReason::stopped, "gone"});
  EXPECT_EQ(engine->nat().count(), 0U);
  EXPECT_EQ(engine->flows().count(), 0U);
}

}  // namespace
}  // namespace sluice::flow
