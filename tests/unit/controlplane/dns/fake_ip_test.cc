#include <gtest/gtest.h>

#include "tests/unit/controlplane/dns/bench.h"

namespace sluice::dns {
namespace {

using test::a_reply;
using test::Bench;
using test::Bytes;
using test::Flags;
using test::message;
using test::one;

class FakeIpServed : public ::testing::Test {
 protected:
  FakeIpServed() {
    bench.options.dns.mode = model::DnsMode::fake_ip;
    server = &bench.add_server([](ByteView q, bool) { return one(a_reply(q, "cb007107")); });
  }
  Bench bench;
  test::TestServer* server = nullptr;
};

TEST_F(FakeIpServed, ANewAddressLeavesOnlyAfterTheAcknowledgement) {
  bench.start();
  bench.send(message(1, Flags::kQuery, "fk.test", type::kA));
  ASSERT_TRUE(bench.until([&] { return !bench.sink.dones.empty(); }));
  bench.turns(20);
  EXPECT_FALSE(bench.receive_now());
  ASSERT_EQ(bench.sink.changes[0].add.size(), 1U);
  EXPECT_EQ(bench.sink.changes[0].add[0].name, "fk.test");
  EXPECT_EQ(bench.sink.changes[0].next_v4, 5U);
  bench.sink.acknowledge();
  const auto reply = bench.receive();
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->address(), "198.18.0.4");
  EXPECT_EQ(reply->records[0].ttl, 1U);
  // Known now: answered at once, nothing is sent again, no server is asked.
  EXPECT_EQ(bench.ask("FK.test").address(), "198.18.0.4");
  EXPECT_EQ(bench.sink.changes.size(), 1U);
  EXPECT_EQ(server->udp_count, 0);
}

TEST_F(FakeIpServed, OneChangeAtATimeAndTheNextGathers) {
  bench.start();
  bench.send(message(1, Flags::kQuery, "a.test", type::kA));
  ASSERT_TRUE(bench.until([&] { return bench.sink.changes.size() == 1; }));
  for (const char* name : {"b.test", "c.test", "b.test"})
    bench.send(message(2, Flags::kQuery, name, type::kA));
  bench.turns(10);
  EXPECT_EQ(bench.sink.changes.size(), 1U);
  bench.sink.acknowledge();
  ASSERT_TRUE(bench.until([&] { return bench.sink.changes.size() == 2; }));
  EXPECT_EQ(bench.sink.changes[1].add.size(), 2U);
}

TEST_F(FakeIpServed, ARefusedBindingBecomesARealAnswerWithAShortTtl) {
  bench.start();
  bench.send(message(1, Flags::kQuery, "fk.test", type::kA));
  ASSERT_TRUE(bench.until([&] { return !bench.sink.dones.empty(); }));
  bench.sink.acknowledge(fail(Errc::no_room));
  const auto reply = bench.receive();
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->address(), "203.0.113.7");
  EXPECT_LE(reply->records[0].ttl, 1U);
  // The next question tries again, with the same address.
  bench.sink.automatic = true;
  EXPECT_EQ(bench.ask("fk.test").address(), "198.18.0.4");
}

TEST_F(FakeIpServed, AnAcknowledgementThatNeverComesIsWaitedForBriefly) {
  bench.start();
  const auto reply = bench.ask("fk.test");
  EXPECT_EQ(reply.address(), "203.0.113.7");
  EXPECT_LE(reply.records.at(0).ttl, 1U);
}

TEST_F(FakeIpServed, WhileTheDataPlaneIsAwayAnswersAreReal) {
  bench.sink.automatic = true;
  bench.start();
  EXPECT_EQ(bench.ask("fk.test").address(), "198.18.0.4");
  bench.dns->data_plane_away();
  for (const char* name : {"fk.test", "new.test"}) {
    const auto reply = bench.ask(name);
    EXPECT_EQ(reply.address(), "203.0.113.7") << name;
    EXPECT_LE(reply.records.at(0).ttl, 1U) << name;
  }
  EXPECT_EQ(bench.dns->bindings().size(), 1U);  // nothing is reserved meanwhile
  bench.dns->data_plane_ready();
  EXPECT_EQ(bench.ask("fk.test").address(), "198.18.0.4");
}

TEST_F(FakeIpServed, AnAnswerThatWaitsBecomesRealWhenTheDataPlaneLeaves) {
  bench.start();
  bench.send(message(1, Flags::kQuery, "fk.test", type::kA));
  ASSERT_TRUE(bench.until([&] { return !bench.sink.dones.empty(); }));
  bench.dns->data_plane_away();
  const auto reply = bench.receive();
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->address(), "203.0.113.7");
  // Its late acknowledgement belongs to the past and must not count for the next change.
  bench.dns->data_plane_ready();
  bench.send(message(2, Flags::kQuery, "other.test", type::kA));
  ASSERT_TRUE(bench.until([&] { return bench.sink.dones.size() == 2; }));
  bench.sink.acknowledge();
  bench.turns(10);
  EXPECT_FALSE(bench.receive_now());
  bench.sink.acknowledge();
  EXPECT_EQ(bench.receive()->address(), "198.18.0.5");
}

// B041, B043.
TEST_F(FakeIpServed, OtherTypesNeverLeakRealAddresses) {
  bench.sink.automatic = true;
  bench.start();
  for (const std::uint16_t kind : {type::kAaaa, type::kHttps, type::kSvcb, type::kAny}) {
    const auto reply = bench.ask("fk.test", kind);
    EXPECT_EQ(reply.header.rcode, 0) << kind;
    EXPECT_TRUE(reply.records.empty()) << kind;
  }
  EXPECT_EQ(server->udp_count, 0);
  bench.options.dns.fake_ip_range6 = *Prefix::parse("fdfe:dcba:9877::/64");
  bench.start();
  EXPECT_TRUE(bench.ask("fk.test", type::kAaaa).records.empty()) << "dns.ipv6 is off";
  bench.options.dns.ipv6 = true;
  bench.start();
  EXPECT_EQ(bench.ask("fk.test", type::kAaaa).address(), "fdfe:dcba:9877::4");
}

TEST_F(FakeIpServed, TheFilterDecidesWhoGetsFakeAddresses) {
  bench.sink.automatic = true;
  bench.options.dns.fake_ip_filter = {"+.lan.test", "*.one.test"};
  bench.start();
  EXPECT_EQ(bench.ask("a.lan.test").address(), "203.0.113.7");
  EXPECT_EQ(bench.ask("a.lan.test").records.at(0).ttl, 300U);
  EXPECT_EQ(bench.ask("x.one.test").address(), "203.0.113.7");
  EXPECT_EQ(bench.ask("y.x.one.test").address(), "198.18.0.4");
  bench.options.dns.fake_ip_filter_mode = model::FakeIpFilterMode::whitelist;
  bench.start();
  EXPECT_EQ(bench.ask("a.lan.test").address(), "198.18.0.5");
  EXPECT_EQ(bench.ask("other.test").address(), "203.0.113.7");
}

// B065.
TEST_F(FakeIpServed, ReverseQuestionsForThePoolStayHere) {
  bench.sink.automatic = true;
  bench.start();
  EXPECT_EQ(bench.ask("fk.test").address(), "198.18.0.4");
  const auto known = bench.ask("4.0.18.198.in-addr.arpa", type::kPtr);
  ASSERT_EQ(known.records.size(), 1U);
  EXPECT_TRUE(std::ranges::equal(known.records[0].data, test::labels("fk.test")));
  EXPECT_EQ(bench.ask("9.0.18.198.in-addr.arpa", type::kPtr).header.rcode, 3);
  EXPECT_EQ(server->udp_count, 0);
  (void)bench.ask("9.9.9.9.in-addr.arpa", type::kPtr);
  EXPECT_EQ(server->udp_count, 1);
}

TEST_F(FakeIpServed, NamesAndOffsetComeBackAfterARestart) {
  bench.sink.automatic = true;
  bench.start();
  (void)bench.ask("a.test");
  (void)bench.ask("b.test");
  const auto stored = bench.dns->bindings();
  const auto next = bench.dns->next_offset(Family::v4);
  bench.dns = std::make_unique<Dns>(*bench.loop, bench.sink);
  ASSERT_TRUE(bench.dns->apply(bench.options).empty());
  bench.dns->restore(stored, next, 0);
  bench.dns->data_plane_ready();
  bench.sink.automatic = false;
  EXPECT_EQ(bench.ask("b.test").address(), "198.18.0.5");
  bench.sink.automatic = true;
  EXPECT_EQ(bench.ask("c.test").address(), "198.18.0.6");
}

TEST_F(FakeIpServed, TheDataPlaneGetsRealAddressesAndKeepsThemAsLastGood) {
  bench.sink.automatic = true;
  bench.start();
  EXPECT_EQ(bench.ask("fk.test").address(), "198.18.0.4");
  const auto answer = bench.resolve({.id = 7, .name = "fk.test"});
  EXPECT_EQ(answer.id, 7U);
  EXPECT_EQ(answer.error, Errc::none);
  ASSERT_EQ(answer.addresses.size(), 1U);
  EXPECT_EQ(answer.addresses[0].to_string(), "203.0.113.7");
  ASSERT_TRUE(bench.until([&] { return bench.sink.changes.size() == 2; }));
  EXPECT_EQ(bench.sink.changes[1].add[0].last_good, answer.addresses);
}

TEST_F(FakeIpServed, TheDataPlaneNeverGetsAPoolsAddress) {
  Bench b;
  b.options.dns.mode = model::DnsMode::fake_ip;
  b.add_server([](ByteView q, bool) { return one(a_reply(q, "c6120009")); });
  b.start();
  const auto answer = b.resolve({.name = "x.test"});
  EXPECT_EQ(answer.error, Errc::no_address);
  EXPECT_TRUE(answer.addresses.empty());
}

TEST_F(FakeIpServed, AQuestionCausedByResolvingIsRefused) {
  bench.start();
  EXPECT_EQ(bench.resolve({.name = "x.test", .depth = 1}).error, Errc::loop);
  EXPECT_EQ(server->udp_count, 0);
}

TEST(DnsResolve, HostsBothFamiliesAndStale) {
  Bench b;
  bool alive = true;
  b.options.dns.ipv6 = true;
  b.options.hosts = {
      {.pattern = "nas.lan",
       .addresses = {*IpAddress::parse("192.168.1.2"), *IpAddress::parse("fd00::2")}}};
  auto& server = b.add_server([&](ByteView q, bool) {
    if (!alive) return one(test::code_reply(q, 2));
    std::size_t at = kHeaderSize;
    const auto question = read_question(q, at);
    if (question->type == type::kA) return one(a_reply(q, "cb007107", 1));
    return one(test::reply_to(q, Flags::kResponse, {1, 0, 0},
                              test::record(test::from_hex("c00c"), type::kAaaa, 60,
                                           test::from_hex("20010db8000000000000000000000007"))));
  });
  b.start();
  EXPECT_EQ(b.resolve({.name = "nas.lan"}).addresses.size(), 2U);
  EXPECT_EQ(b.resolve({.name = "nas.lan", .v6 = false}).addresses.size(), 1U);
  EXPECT_EQ(server.udp_count, 0);
  const auto both = b.resolve({.name = "a.test"});
  ASSERT_EQ(both.addresses.size(), 2U);
  EXPECT_EQ(both.ttl_s, 1U);
  EXPECT_TRUE(both.addresses[0].is_v4());
  alive = false;
  const Moment expired = monotonic_now() + Millis{1'100};
  b.until([&] { return monotonic_now() > expired; });
  const auto stale = b.resolve({.name = "a.test", .v6 = false});
  EXPECT_EQ(stale.error, Errc::none);
  ASSERT_EQ(stale.addresses.size(), 1U);
  EXPECT_EQ(b.resolve({.name = "never.test", .v6 = false}).error, Errc::unreachable);
  EXPECT_EQ(b.resolve({.name = "NOT NORMAL"}).error, Errc::invalid);
}

}  // namespace
}  // namespace sluice::dns
