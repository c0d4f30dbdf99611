// Who makes room in the NAT, and when a silent mapping ends.
#include <gtest/gtest.h>

#include "dataplane/flow/limits.h"
#include "tests/unit/dataplane/flow/nat_rig.h"

namespace sluice::flow {
namespace {

const Endpoint kWeb{IpAddress::v4(0xc0000263), 443};
const Endpoint kDns{IpAddress::v4(0xc0000263), 53};

class NatBounds : public NatTest {
 protected:
  void SetUp() override {
    NatTest::SetUp();
    engine->flows().watch(true);
  }
  /// Everything is refused, so that mappings need no socket; their bounds hold all the same.
  template <class F>
  void with_limits(F&& set) {
    use_rules([&](ruleset::Builder& rules, contract::Manifest& m) {
      rules.always();
      m.rules = {{"Match", "", 1}};
      set(m.limits);
    });
  }
  static Endpoint client(std::uint8_t host, std::uint16_t port) {
    return {IpAddress::v4(0x0a000000U + host), port};
  }
  /// Whether a datagram of `client` finds its mapping, rather than making one.
  bool knows(const Endpoint& client) {
    const std::size_t before = engine->nat().count();
    const std::uint64_t evicted = engine->nat().counts().evicted;
    forward(kWeb, "x", client);
    return engine->nat().count() == before && engine->nat().counts().evicted == evicted;
  }
};

TEST_F(NatBounds, AClientOverItsShareLosesItsOwnOldestMapping) {
  with_limits([](contract::Limits& l) { l.udp_mappings_per_client = 4; });
  forward(kWeb, "x", client(9, 1));  // the oldest of all, somebody else's
  for (std::uint16_t port = 1; port <= 5; ++port) {
    wait_a_moment();
    forward(kWeb, "x", client(1, port));
  }
  EXPECT_EQ(engine->nat().count(), 5U);
  EXPECT_EQ(engine->nat().counts().evicted, 1U);
  EXPECT_TRUE(knows(client(9, 1)));
  EXPECT_TRUE(knows(client(1, 2)));
  EXPECT_FALSE(knows(client(1, 1)));
}

TEST_F(NatBounds, ATableMadeSmallerByAReloadShrinksStepByStep) {
  for (std::uint16_t port = 1; port <= 20; ++port) forward(kWeb, "x", client(1, port));
  with_limits([](contract::Limits& l) { l.udp_mappings = 16; });
  for (std::uint16_t port = 100; port < 120; ++port) forward(kWeb, "x", client(1, port));
  EXPECT_EQ(engine->nat().count(), 16U);
  EXPECT_EQ(engine->nat().counts().mappings, 16U);
}

TEST_F(NatBounds, SilenceEndsAMappingAndAFewQuestionsEndItSooner) {
  with_limits([](contract::Limits& l) {
    l.udp_idle = {60'000};
    l.udp_question_idle = {20};
  });
  forward(kDns, "A?", client(1, 1));
  forward(kDns, "AAAA?", client(1, 1));
  for (unsigned i = 0; i <= kQuestions; ++i) forward(kDns, "?", client(1, 2));  // a busy resolver
  forward(kDns, "A?", client(1, 3));
  forward(kWeb, "hello", client(1, 3));  // not only questions
  wait_a_moment(kSweepInterval + 50_ms);
  EXPECT_EQ(engine->nat().count(), 2U);
  EXPECT_TRUE(knows(client(1, 2)));
  EXPECT_TRUE(knows(client(1, 3)));
  EXPECT_FALSE(knows(client(1, 1)));
}

TEST_F(NatBounds, ABoundOfAllIsSharedOutToTheWorkers) {
  engine->nat().forget(replies, {contract::CloseReason::stopped, "end"});
  engine.reset();
  engine = std::make_unique<Engine>(*worker, 4, names, sink);
  with_limits([](contract::Limits& l) { l.udp_mappings = 30; });
  for (std::uint16_t port = 1; port <= 20; ++port) forward(kWeb, "x", client(1, port));
  EXPECT_EQ(engine->nat().count(), 8U);
  EXPECT_EQ(engine->nat().counts().evicted, 12U);
}

TEST_F(NatBounds, WhoIsNotServedIsCountedAsDropped) {
  class Closed final : public ClientSide {
    bool admit(Request&) override { return false; }
    void reply(const Endpoint&, std::span<Packet>) noexcept override {}
  } closed;
  Request facts;
  facts.network = Network::udp;
  facts.source = client(1, 1);
  Packet packet;
  Destination to;
  to.ip = kWeb.ip;
  to.port = kWeb.port;
  engine->nat().forward(closed, facts, to, packet);
  EXPECT_EQ(engine->nat().counts().dropped, 1U);
  EXPECT_EQ(engine->nat().count(), 0U);
}

}  // namespace
}  // namespace sluice::flow
