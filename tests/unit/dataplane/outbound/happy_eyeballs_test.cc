// RFC 8305 with real sockets on loopback: a black hole is a listener whose backlog is full.
#include "dataplane/outbound/happy_eyeballs.h"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include "proto/runtime/net/socket.h"

namespace sluice::outbound {
namespace {

using contract::IpVersion;

IpAddress ip(const char* text) {
  return *IpAddress::parse(text);
}

TEST(OrderAddresses, AlternatesFamiliesStartingWithThePreferredOne) {
  const std::vector<IpAddress> all{ip("192.0.2.1"), ip("192.0.2.2"), ip("2001:db8::1"),
                                   ip("192.0.2.3")};
  using List = std::vector<IpAddress>;
  EXPECT_EQ(order_addresses(all, IpVersion::dual, true),
            (List{ip("192.0.2.1"), ip("2001:db8::1"), ip("192.0.2.2"), ip("192.0.2.3")}));
  EXPECT_EQ(order_addresses(all, IpVersion::prefer_v6, true)[0], ip("2001:db8::1"));
  EXPECT_EQ(order_addresses(all, IpVersion::v6_only, true), List{ip("2001:db8::1")});
  EXPECT_EQ(order_addresses(all, IpVersion::v4_only, true).size(), 3U);
}

TEST(OrderAddresses, WithoutIpv6NothingOfItIsLeft) {
  const std::vector<IpAddress> all{ip("2001:db8::1"), ip("192.0.2.1")};
  EXPECT_EQ(order_addresses(all, IpVersion::dual, false), std::vector<IpAddress>{ip("192.0.2.1")});
  EXPECT_TRUE(order_addresses(all, IpVersion::v6_only, false).empty());
}

TEST(OrderAddresses, CutsAnEndlessList) {
  const std::vector<IpAddress> many(100, ip("192.0.2.1"));
  EXPECT_EQ(order_addresses(many, IpVersion::dual, true).size(), 10U);
}

/// A port on 127.0.0.x that never answers: its backlog of one is taken.
class BlackHole {
 public:
  explicit BlackHole(const char* at) : listener_(std::move(*bind_tcp({ip(at), 0}))) {
    ::listen(listener_.get(), 0);
    port = local_endpoint(listener_.get()).port;
    for (int i = 0; i < 3; ++i) fillers_.push_back(std::move(*start_connect({ip(at), port}, {})));
  }
  std::uint16_t port = 0;

 private:
  UniqueFd listener_;
  std::vector<UniqueFd> fillers_;
};

class ConnectAny : public ::testing::Test {
 protected:
  struct Outcome {
    bool done = false;
    Result<Endpoint> reached = fail(Errc::invalid);
  };
  Task<void> race(std::vector<IpAddress> addresses, std::uint16_t port, bool concurrent,
                  Until until, Outcome& out) {
    Result<Connection> connection =
        co_await connect_any(*loop, std::move(addresses), port, {}, concurrent, until);
    if (connection) {
      EXPECT_EQ(connection->remote, connection->socket.remote());
      out.reached = connection->remote;
    }
    if (!connection) out.reached = fail(connection.error());
    out.done = true;
  }
  Outcome run(std::vector<IpAddress> addresses, std::uint16_t port, bool concurrent = false,
              Millis limit = 5_s) {
    Outcome out;
    loop->spawn(race(std::move(addresses), port, concurrent, loop->refresh_now() + limit, out));
    for (int i = 0; i < 2000 && !out.done; ++i) loop->run_once(10_ms);
    EXPECT_TRUE(out.done);
    EXPECT_EQ(loop->root_count(), 0U);
    return out;
  }
  std::unique_ptr<Loop> loop = std::move(*Loop::make());
};

TEST_F(ConnectAny, SilentFirstAddressCostsTheHeadStartOnly) {
  BlackHole hole("127.0.0.2");
  auto good = listen_tcp({ip("127.0.0.3"), hole.port});
  ASSERT_TRUE(good);
  const Moment begun = monotonic_now();
  const Outcome out = run({ip("127.0.0.2"), ip("127.0.0.3")}, hole.port);
  ASSERT_TRUE(out.reached);
  EXPECT_EQ(out.reached->ip, ip("127.0.0.3"));
  const std::int64_t took = (monotonic_now() - begun).count;
  EXPECT_GE(took, 290);
  EXPECT_LT(took, 900);
}

TEST_F(ConnectAny, ConcurrentWaitsForNobody) {
  BlackHole hole("127.0.0.2");
  auto good = listen_tcp({ip("127.0.0.3"), hole.port});
  ASSERT_TRUE(good);
  const Moment begun = monotonic_now();
  const Outcome out = run({ip("127.0.0.2"), ip("127.0.0.3")}, hole.port, true);
  ASSERT_TRUE(out.reached);
  EXPECT_LT((monotonic_now() - begun).count, 250);
}

TEST_F(ConnectAny, RefusalGoesToTheNextAtOnce) {
  auto good = listen_tcp({ip("127.0.0.3"), 0});
  ASSERT_TRUE(good);
  const std::uint16_t port = local_endpoint(good->get()).port;
  const Moment begun = monotonic_now();
  const Outcome out = run({ip("127.0.0.2"), ip("127.0.0.3")}, port);
  ASSERT_TRUE(out.reached);
  EXPECT_LT((monotonic_now() - begun).count, 250);
}

TEST_F(ConnectAny, AllRefusedGivesTheLastError) {
  auto fd = listen_tcp({ip("127.0.0.2"), 0});
  const std::uint16_t port = local_endpoint(fd->get()).port;
  fd->reset();
  const Outcome out = run({ip("127.0.0.2"), ip("127.0.0.3")}, port);
  EXPECT_EQ(out.reached.error().code, Errc::refused);
  EXPECT_EQ(out.reached.error().side, Side::upstream);
}

TEST_F(ConnectAny, AllSilentEndsAtTheDeadline) {
  BlackHole hole("127.0.0.2");
  const Outcome out = run({ip("127.0.0.2")}, hole.port, false, 100_ms);
  EXPECT_EQ(out.reached.error().code, Errc::timeout);
}

TEST_F(ConnectAny, NoAddressIsSaidSo) {
  EXPECT_EQ(run({}, 80).reached.error().code, Errc::no_address);
}

}  // namespace
}  // namespace sluice::outbound
