#include <gtest/gtest.h>

#include <utility>

#include "tests/unit/controlplane/dns/bench.h"

namespace sluice::dns {
namespace {

using test::a_reply;
using test::Bench;
using test::Bytes;
using test::code_reply;
using test::Flags;
using test::from_hex;
using test::message;
using test::one;

constexpr const char* kGood = "cb007107";  // 203.0.113.7

TEST(DnsForward, AnswersComeFromTheServerOnceAndThenFromTheCache) {
  Bench b;
  auto& server = b.add_server([](ByteView q, bool) { return one(a_reply(q, kGood)); });
  b.start();
  EXPECT_EQ(b.ask("a.test").address(), "203.0.113.7");
  EXPECT_EQ(b.ask("A.test").address(), "203.0.113.7");
  EXPECT_EQ(server.udp_count, 1);
}

TEST(DnsForward, OtherServersMayKnowOtherThings) {
  Bench b;
  auto& server = b.add_server([](ByteView q, bool) { return one(a_reply(q, kGood)); });
  b.start();
  (void)b.ask("a.test");
  b.options.dns.nameserver.clear();
  b.add_server([](ByteView q, bool) { return one(a_reply(q, "cb007108")); });
  b.start();
  EXPECT_EQ(b.ask("a.test").address(), "203.0.113.8");
  EXPECT_EQ(server.udp_count, 1);
}

// B062: error codes lose against a usable answer that comes later.
TEST(DnsForward, TheFirstUsableAnswerWins) {
  Bench b;
  b.add_server([](ByteView q, bool) { return one(code_reply(q, 5)); });
  b.add_server([](ByteView q, bool) { return one(code_reply(q, 2)); });
  int asked = 0;
  b.add_server([&](ByteView q, bool) {
    return ++asked < 2 ? std::vector<Bytes>{} : one(a_reply(q, kGood));  // silent the first time
  });
  b.start();
  b.send(message(1, Flags::kQuery, "a.test", type::kA));
  ASSERT_TRUE(b.until([&] { return asked == 1; }));
  b.turns(20);
  EXPECT_FALSE(b.receive_now());   // two errors are here, the third server may still know
  const auto reply = b.receive();  // it is asked again after 1 s
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->address(), "203.0.113.7");
}

TEST(DnsForward, ErrorCodesArePassedOnOnlyWhenAllFailed) {
  Bench b;
  b.add_server([](ByteView q, bool) { return one(code_reply(q, 5)); });
  auto& second = b.add_server([](ByteView q, bool) { return one(code_reply(q, 2)); });
  b.start();
  const auto first = b.ask("a.test").header.rcode;
  EXPECT_TRUE(first == 5 || first == 2);
  EXPECT_EQ(second.udp_count, 1);
  EXPECT_EQ(b.ask("a.test").header.rcode, first);  // for a moment, so that repeats do not pile up
  EXPECT_EQ(second.udp_count, 1);
}

TEST(DnsForward, NameErrorIsAnAnswer) {
  Bench b;
  b.add_server([](ByteView, bool) { return std::vector<Bytes>{}; });
  b.add_server([](ByteView q, bool) { return one(code_reply(q, 3)); });
  b.start();
  EXPECT_EQ(b.ask("a.test").header.rcode, 3);
}

// B046.
TEST(DnsForward, ForgedRepliesAreIgnoredWhileTheWaitGoesOn) {
  Bench b;
  bool first = true;
  auto& server = b.add_server([&](ByteView q, bool) {
    if (!std::exchange(first, false)) return one(a_reply(q, kGood));
    Bytes wrong_id = a_reply(q, "01010101");
    wrong_id[0] ^= std::byte{1};
    Bytes other = test::message(0, Flags::kResponse, "victim.test", type::kA, {1, 0, 0});
    other[0] = q[0];
    other[1] = q[1];
    test::append(other, test::record(from_hex("c00c"), type::kA, 60, from_hex("02020202")));
    Bytes good = test::reply_to(q, Flags::kResponse, {1, 0, 1}, [] {
      Bytes records = test::record(from_hex("c00c"), type::kA, 60, from_hex(kGood));
      test::append(records,
                   test::record(test::labels("victim.test"), type::kA, 60, from_hex("02020202")));
      return records;
    }());
    return std::vector<Bytes>{wrong_id, other, good};
  });
  b.start();
  EXPECT_EQ(b.ask("t.test").address(), "203.0.113.7");
  EXPECT_EQ(b.ask("victim.test").address(), "203.0.113.7");
  EXPECT_EQ(server.udp_count, 2);
}

TEST(DnsForward, TruncatedAnswersAreAskedAgainOverTcp) {
  Bench b;
  auto& server = b.add_server([](ByteView q, bool tcp) {
    if (!tcp) return one(test::reply_to(q, Flags::kResponse | 0x200, {0, 0, 0}, {}));
    return one(a_reply(q, kGood));
  });
  b.start();
  EXPECT_EQ(b.ask("a.test").address(), "203.0.113.7");
  EXPECT_EQ(server.udp_count, 1);
  EXPECT_EQ(server.tcp_count, 1);
}

TEST(DnsForward, AServerWithoutEdnsIsAskedWithout) {
  Bench b;
  auto& server = b.add_server([](ByteView q, bool) {
    Query query;
    (void)read_query(q, query);
    return one(query.has_edns ? code_reply(q, 1) : a_reply(q, kGood));
  });
  b.start();
  EXPECT_EQ(b.ask("a.test").address(), "203.0.113.7");
  EXPECT_EQ(server.udp_count, 2);
}

// B047: each client gets its own id and case; the server is asked once.
TEST(DnsForward, EqualQuestionsShareOneLookup) {
  Bench b;
  std::vector<Bytes> held;
  auto& server = b.add_server([&](ByteView q, bool) {
    held.emplace_back(q.begin(), q.end());
    return held.size() < 2 ? std::vector<Bytes>{} : one(a_reply(q, kGood));
  });
  b.start();
  b.send(message(0x1111, Flags::kQuery, "a.test", type::kA));
  b.send(message(0x2222, Flags::kQuery, "A.test", type::kA));
  const auto first = b.receive();
  const auto second = b.receive();
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->header.id + second->header.id, 0x3333);
  EXPECT_EQ(server.udp_count, 2);  // the question and its repeat after 1 s
}

TEST(DnsForward, ADeadServerIsNoticedAtOnce) {
  Bench b;
  b.options.dns.nameserver = {{model::DnsTransport::udp, "127.0.0.1", 1},
                              {model::DnsTransport::tcp, "127.0.0.1", 1}};
  b.start();
  const Moment start = monotonic_now();
  EXPECT_EQ(b.ask("a.test").header.rcode, 2);
  EXPECT_LT((monotonic_now() - start).count, 3'000);
}

TEST(DnsForward, ServersByNameAreFoundThroughTheBootstrapSet) {
  Bench b;
  auto& boot = b.add_server([](ByteView q, bool) { return one(a_reply(q, "7f000001")); });
  auto& main = b.add_server([](ByteView q, bool) { return one(a_reply(q, kGood)); });
  b.options.dns.default_nameserver = {boot.as_server()};
  b.options.dns.nameserver = {{model::DnsTransport::udp, "dns.example", main.port()}};
  b.start();
  EXPECT_EQ(b.ask("a.test").address(), "203.0.113.7");
  EXPECT_EQ(b.ask("b.test").address(), "203.0.113.7");
  EXPECT_EQ(boot.udp_count, 1);
  EXPECT_EQ(main.udp_count, 2);
}

// B058: never a query to ourselves.
TEST(DnsForward, OwnListenersAreNotAsked) {
  Bench b;
  b.start();
  b.options.dns.nameserver = {
      {model::DnsTransport::udp, "127.0.0.1", b.dns->listen_address()->port},
      {model::DnsTransport::tcp, "127.0.0.1", b.dns->listen_address()->port}};
  b.start();
  EXPECT_EQ(b.ask("a.test").header.rcode, 2);
}

// B053: asked as it is; answered; never a fake address.
TEST(DnsForward, NamesWithoutTextFormAreForwardedAsAsked) {
  Bench b;
  b.options.dns.mode = model::DnsMode::fake_ip;
  auto& server = b.add_server([](ByteView q, bool) { return one(a_reply(q, kGood)); });
  b.start();
  b.send(from_hex("0031010000010000000000000361986204746573740000010001"));
  const auto reply = b.receive();
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->address(), "203.0.113.7");
  EXPECT_EQ(server.udp_count, 1);
  EXPECT_TRUE(b.sink.changes.empty());
}

TEST(DnsForward, OddPacketsAreDroppedAndServiceGoesOn) {
  Bench b;
  b.add_server([](ByteView q, bool) { return one(a_reply(q, kGood)); });
  b.start();
  b.send(from_hex("0007010000"));
  b.send(message(9, Flags::kResponse, "a.test", type::kA));
  b.turns(10);
  EXPECT_FALSE(b.receive_now());
  EXPECT_EQ(b.ask("a.test").address(), "203.0.113.7");
}

TEST(DnsForward, AaaaIsEmptyWithoutIpv6AndAskedWithIt) {
  Bench b;
  auto& server = b.add_server([](ByteView q, bool) {
    return one(test::reply_to(
        q, Flags::kResponse, {1, 0, 0},
        test::record(from_hex("c00c"), type::kAaaa, 60, Bytes(16, std::byte{0x20}))));
  });
  b.start();
  const auto empty = b.ask("a.test", type::kAaaa);
  EXPECT_EQ(empty.header.rcode, 0);
  EXPECT_TRUE(empty.records.empty());
  EXPECT_EQ(server.udp_count, 0);
  b.options.dns.ipv6 = true;
  b.start();
  EXPECT_EQ(b.ask("a.test", type::kAaaa).records.size(), 1U);
}

// dns.ipv6 off: no client gets an IPv6 address, whoever wrote it down. A reverse question still
// finds its line, and the data plane may dial it (the top-level `ipv6` decides about that).
TEST(DnsForward, WithoutIpv6HostsHaveNoAaaaEither) {
  Bench b;
  auto& server = b.add_server([](ByteView q, bool) { return one(a_reply(q, kGood)); });
  b.options.hosts = {
      {.pattern = "nas.lan",
       .addresses = {*IpAddress::parse("192.168.1.2"), *IpAddress::parse("fd00::2")}},
      {.pattern = "box.lan", .alias = "nas.lan"},
  };
  b.start();
  const auto empty = b.ask("nas.lan", type::kAaaa);
  EXPECT_EQ(empty.header.rcode, 0);
  EXPECT_TRUE(empty.records.empty());
  const auto chain = b.ask("box.lan", type::kAaaa);
  ASSERT_EQ(chain.records.size(), 1U);
  EXPECT_EQ(chain.records[0].type, type::kCname);
  EXPECT_EQ(b.ask("nas.lan").address(), "192.168.1.2");
  EXPECT_EQ(b.resolve({.name = "nas.lan"}).addresses.size(), 2U);
  b.options.dns.ipv6 = true;
  b.start();
  EXPECT_EQ(b.ask("nas.lan", type::kAaaa).address(), "fd00::2");
  EXPECT_EQ(b.ask("box.lan", type::kAaaa).address(1), "fd00::2");
  EXPECT_EQ(server.udp_count, 0);
}

TEST(DnsForward, HostsAndAliases) {
  Bench b;
  auto& server = b.add_server([](ByteView q, bool) { return one(a_reply(q, kGood)); });
  b.options.hosts = {
      {.pattern = "nas.lan", .addresses = {*IpAddress::parse("192.168.1.2")}},
      {.pattern = "box.lan", .alias = "nas.lan"},
      {.pattern = "out.lan", .alias = "cdn.example"},
  };
  b.start();
  EXPECT_EQ(b.ask("nas.lan").address(), "192.168.1.2");
  EXPECT_TRUE(b.ask("nas.lan", type::kHttps).records.empty());
  const auto box = b.ask("box.lan");
  ASSERT_EQ(box.records.size(), 2U);
  EXPECT_EQ(box.records[0].type, type::kCname);
  EXPECT_EQ(box.address(1), "192.168.1.2");
  EXPECT_EQ(server.udp_count, 0);
  const auto out = b.ask("out.lan");
  ASSERT_EQ(out.records.size(), 2U);
  EXPECT_EQ(out.records[1].owner.to_normal()->view(), "cdn.example");
  EXPECT_EQ(out.address(1), "203.0.113.7");
  const auto ptr = b.ask("2.1.168.192.in-addr.arpa", type::kPtr);
  ASSERT_EQ(ptr.records.size(), 1U);
  EXPECT_TRUE(std::ranges::equal(ptr.records[0].data, test::labels("nas.lan")));
}

}  // namespace
}  // namespace sluice::dns
