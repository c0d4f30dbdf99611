// One worker's listeners: whom they let in, where their `proxy` leads, what a replaced one leaves.
// Every decision refuses, so that a record tells it at once.
#include "dataplane/flow/listener_set.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "dataplane/flow/nat.h"
#include "proto/runtime/net/socket.h"
#include "tests/unit/dataplane/flow/rig.h"

namespace sluice::flow {
namespace {

using contract::ListenerKind;
using ruleset::Condition;

constexpr std::uint32_t kReject = 1;
constexpr std::uint32_t kUnbuilt = 4;
constexpr int kExpedited = 46 << 2;

/// A socket like those of a tproxy listener, without the privilege that theirs need.
UniqueFd datagram_socket() {
  ListenOptions options;
  options.original_dst = true;
  return std::move(*bind_udp(*Endpoint::parse("0.0.0.0:0"), options));
}

UniqueFd duplicate(const UniqueFd& fd) {
  return UniqueFd(::fcntl(fd.get(), F_DUPFD_CLOEXEC, 0));
}

bool has_datagrams(const UniqueFd& fd) {
  char one = 0;
  return ::recv(fd.get(), &one, 1, MSG_PEEK | MSG_DONTWAIT) >= 0;
}

int reports_dscp(const UniqueFd& fd) {
  int value = -1;
  socklen_t size = sizeof value;
  EXPECT_EQ(::getsockopt(fd.get(), SOL_IP, IP_RECVTOS, &value, &size), 0);
  return value;
}

class ListenerSetTest : public EngineRig {
 protected:
  void SetUp() override {
    EngineRig::SetUp();
    engine->flows().watch(true);
    client = std::move(*bind_udp({kLoopback, 0}));
    use_listener([](contract::Listener&) {});
  }
  void TearDown() override {
    engine->listeners().close_all();
    EngineRig::TearDown();
  }

  /// The listener "in". `line` leads to REJECT, everything else to a proxy that is not built.
  template <class F>
  void use_listener(F&& change, const Condition& line = Condition::dscp(46, 46)) {
    contract::Listener in = route::test::listener("in", "0.0.0.0", 7894);
    in.kind = ListenerKind::tproxy;
    change(in);
    use_rules([&](ruleset::Builder& rules, contract::Manifest& m) {
      rules.line(line);
      rules.always();
      m.rules = {{"Line", "", kReject, 0}, {"Match", "", kUnbuilt, 1}};
      m.listeners = {in};
    });
  }
  void open_udp(UniqueFd fd, std::string name = "in") {
    port = local_endpoint(fd.get()).port;
    ListenerShare share;
    share.entrance = {ListenerKind::tproxy, std::move(name)};
    share.udp = std::move(fd);
    engine->listeners().open(std::move(share));
  }
  /// Where the listener waits.
  Endpoint open_tcp() {
    auto listening = listen_tcp({kLoopback, 0});
    EXPECT_TRUE(listening);
    const Endpoint at = local_endpoint(listening->get());
    ListenerShare share;
    share.entrance = {ListenerKind::tproxy, "in"};
    share.tcp = std::move(*listening);
    engine->listeners().open(std::move(share));
    return at;
  }
  static UniqueFd connect_to(const Endpoint& at, int tos = 0) {
    sockaddr_storage raw{};
    const socklen_t size = at.to_sockaddr(raw);
    UniqueFd stream(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    EXPECT_EQ(::setsockopt(stream.get(), SOL_IP, IP_TOS, &tos, sizeof tos), 0);
    EXPECT_EQ(::connect(stream.get(), reinterpret_cast<const sockaddr*>(&raw), size), 0);
    return stream;
  }
  /// A destination of its own for each datagram: what it is decides anew.
  void send(std::uint8_t host) const {
    const Endpoint to{IpAddress::v4(0x7f000000U | host), port};
    const OutDatagram out{as_byte_view("x"), to, {}};
    ASSERT_EQ(send_batch(client.get(), {&out, 1}, false), 1U);
  }
  /// The record of the flow that comes next.
  contract::FlowInfo next() {
    const std::size_t seen = sink.closed.size();
    turn_until([&] {
      engine->report();
      return sink.closed.size() > seen;
    });
    return sink.closed.size() > seen ? sink.closed.back() : contract::FlowInfo{};
  }

  UniqueFd client;
  std::uint16_t port = 0;
};

TEST_F(ListenerSetTest, DatagramsTakeTheListenersProxyAsItIsNow) {
  open_udp(datagram_socket());
  send(1);
  EXPECT_EQ(next().rule, "Match");
  use_listener([](contract::Listener& in) { in.outbound = kReject; });
  send(2);
  const contract::FlowInfo bound = next();
  EXPECT_EQ(bound.chains, std::vector<std::string>{"REJECT"});
  EXPECT_EQ(bound.rule, "") << "no rule was asked";
  EXPECT_EQ(engine->nat().count(), 1U) << "the same client, who was there before";
  use_listener([](contract::Listener&) {});
  send(3);
  EXPECT_EQ(next().rule, "Match");
}

TEST_F(ListenerSetTest, DatagramsOfSourcesThatMayNotEnterAreDropped) {
  const std::vector<Prefix> here{*Prefix::parse("127.0.0.0/8")};
  const std::vector<Prefix> elsewhere{*Prefix::parse("192.0.2.0/24")};
  open_udp(datagram_socket());
  use_listener([&](contract::Listener& in) { in.denied_sources = here; });
  send(1);
  turn_until([&] { return engine->nat().counts().dropped == 1; });
  use_listener([&](contract::Listener& in) { in.allowed_sources = elsewhere; });
  send(1);
  turn_until([&] { return engine->nat().counts().dropped == 2; });
  EXPECT_EQ(engine->nat().count(), 0U) << "a stranger takes no room";
  use_listener([&](contract::Listener& in) { in.allowed_sources = here; });
  send(1);
  EXPECT_EQ(next().rule, "Match");
  EXPECT_EQ(engine->nat().count(), 1U);
}

TEST_F(ListenerSetTest, AClientWhoMayNotEnterAnyMoreGetsNothingNew) {
  UniqueFd fd = datagram_socket();
  const UniqueFd same = duplicate(fd);
  open_udp(std::move(fd));
  send(1);
  EXPECT_EQ(next().rule, "Match");
  use_listener([](contract::Listener& in) { in.denied_sources = {*Prefix::parse("0.0.0.0/0")}; });
  send(2);
  turn_until([&] { return !has_datagrams(same); });
  use_listener([](contract::Listener&) {});
  send(3);
  EXPECT_EQ(next().destination.ip, IpAddress::v4(0x7f000003)) << "the second one is not decided";
}

TEST_F(ListenerSetTest, TheCapturesOwnSocketServesEverybodyThoughNoListenerHasItsName) {
  open_udp(datagram_socket(), std::string(kCaptureListener));
  send(1);
  EXPECT_EQ(next().rule, "Match");
}

TEST_F(ListenerSetTest, WhatWaitsInASocketGoesToTheOneThatReplacesIt) {
  open_udp(datagram_socket());
  for (std::uint8_t host = 1; host <= 100; ++host) send(host);
  open_udp(datagram_socket());
  turn_until([&] {
    engine->report();
    return sink.closed.size() == 100;
  });
  EXPECT_EQ(sink.closed.front().destination.ip, IpAddress::v4(0x7f000001));
}

// More than one turn accepts: those of the backlog are reset when their socket closes.
TEST_F(ListenerSetTest, ConnectionsThatWaitAreServedBeforeTheirListenerIsReplaced) {
  const Endpoint former = open_tcp();
  std::vector<UniqueFd> clients(150);
  for (UniqueFd& one : clients) one = connect_to(former);
  open_tcp();
  turn_until([&] {
    engine->report();
    return sink.closed.size() == clients.size();
  });
  EXPECT_EQ(sink.closed.size(), clients.size());
}

TEST_F(ListenerSetTest, DscpIsAskedForOnlyWhileARuleComparesIt) {
  UniqueFd fd = datagram_socket();
  const UniqueFd same = duplicate(fd);
  ASSERT_EQ(::setsockopt(client.get(), SOL_IP, IP_TOS, &kExpedited, sizeof kExpedited), 0);
  open_udp(std::move(fd));
  EXPECT_EQ(reports_dscp(same), 0);
  send(1);
  EXPECT_EQ(next().rule, "Match");
  engine->set_needs({.dscp = true});
  EXPECT_EQ(reports_dscp(same), 1);
  send(2);
  EXPECT_EQ(next().rule, "Line");
  UniqueFd later = datagram_socket();
  const UniqueFd same_later = duplicate(later);
  open_udp(std::move(later));
  EXPECT_EQ(reports_dscp(same_later), 1) << "it opened while a rule does";
  engine->set_needs({});
  EXPECT_EQ(reports_dscp(same_later), 0);
}

// features.md section 5: DSCP is a fact of TPROXY'd datagrams alone.
TEST_F(ListenerSetTest, AConnectionHasNoDscp) {
  use_listener([](contract::Listener&) {}, Condition::dscp(0, 63));
  engine->set_needs({.dscp = true});
  const Endpoint at = open_tcp();
  const UniqueFd stream = connect_to(at, kExpedited);
  EXPECT_EQ(next().rule, "Match");
}

TEST_F(ListenerSetTest, ClientsWaitWhileTheMemoryIsSpent) {
  const Endpoint at = open_tcp();
  budget.set_bound(0);
  const UniqueFd waiting = connect_to(at);
  for (int i = 0; i < 30; ++i) worker->loop().run_once(5_ms);
  engine->report();
  EXPECT_TRUE(sink.closed.empty()) << "nobody is let in";
  budget.set_bound(64U << 20U);
  EXPECT_EQ(next().source, local_endpoint(waiting.get()));
}

}  // namespace
}  // namespace sluice::flow
