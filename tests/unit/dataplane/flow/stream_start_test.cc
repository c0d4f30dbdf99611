// A TCP client that is looked at before its flow is decided: what it waits for, what is kept, and
// that every byte goes on once.
#include "dataplane/flow/stream_start.h"

#include "tests/unit/dataplane/flow/sniff_rules.h"

namespace sluice::flow {
namespace {

using contract::Protocol;

constexpr std::string_view kRequest =
    "GET /a HTTP/1.1\r\nUser-Agent: test\r\nHost: www.secret.test\r\n\r\nmore";

/// Says so when the client was told.
class Told final : public Welcome {
 public:
  Task<Status> send() override {
    ++times;
    co_return outcome;
  }
  int times = 0;
  Status outcome;
};

class StreamStartTest : public SniffRig {
 protected:
  void SetUp() override {
    SniffRig::SetUp();
    use_sniffer([](contract::Sniffer&) {});
    client = connect_pair(*worker);
    request = to("203.0.113.1:80");
  }
  void TearDown() override {
    worker->loop().end_roots();
    start.reset();
    client.end.reset();
    SniffRig::TearDown();
  }
  StreamStart& begin(std::string_view read = {}, Welcome* welcome = nullptr) {
    SliceQueue queue;
    if (!read.empty()) {
      EXPECT_TRUE(queue.copy_in(worker->slices(), as_byte_view(read)));
    }
    start.emplace(*engine, *client.end, std::move(queue), request.destination, welcome);
    return *start;
  }
  void look() {
    heard = fail(Errc::invalid);
    done = false;
    worker->loop().spawn(look_into());
  }
  Task<void> look_into() {
    heard = co_await start->look(worker->loop().now() + 5_s);
    done = true;
  }
  void answered() {
    turn_until([&] { return done; });
  }
  /// Everything that the relay would read next.
  std::string rest() {
    start->give_back();
    std::string out;
    for (int i = 0; i < 20; ++i) {
      SliceQueue queue;
      while (client.end->read(queue, 1U << 20U)) {
      }
      while (!queue.empty()) {
        const Slice slice = queue.pop_front();
        out += as_text(ByteView(const_cast<Slice&>(slice).data()));
      }
      worker->loop().run_once(1_ms);
    }
    return out;
  }

  TcpPair client;
  Request request;
  std::optional<StreamStart> start;
  Result<Spoken> heard = fail(Errc::invalid);
  bool done = false;
};

TEST_F(StreamStartTest, EveryCutGivesTheSameAnswerAndEveryByteGoesOnOnce) {
  for (std::size_t cut = 0; cut <= kRequest.size(); ++cut) {
    client = connect_pair(*worker);
    begin(kRequest.substr(0, cut));
    look();
    for (int i = 0; i < 3 && !done; ++i) worker->loop().run_once(1_ms);
    put(client.test, kRequest.substr(cut));
    answered();
    ASSERT_TRUE(heard) << cut;
    EXPECT_EQ(heard->protocol, Protocol::http) << cut;
    EXPECT_EQ(heard->host, "www.secret.test") << cut;
    EXPECT_EQ(rest(), kRequest) << cut;
    start.reset();
  }
}

TEST_F(StreamStartTest, AClientThatSendsSingleBytesHoldsOneBlock) {
  begin();
  look();
  for (const char c : kRequest) {
    put(client.test, {&c, 1});
    worker->loop().run_once(1_ms);
  }
  EXPECT_LE(worker->slices().used_count(), 2U);
  answered();
  EXPECT_EQ(heard->host, "www.secret.test");
  EXPECT_EQ(rest(), kRequest);
}

TEST_F(StreamStartTest, ASilentClientCostsTheFirstSecondOnly) {
  const Moment before = worker->loop().refresh_now();
  begin();
  look();
  answered();
  const Millis waited = worker->loop().refresh_now() - before;
  ASSERT_TRUE(heard);
  EXPECT_EQ(heard->protocol, Protocol::none);
  EXPECT_GE(waited, kSniffFirstByte);
  EXPECT_LT(waited, kSniffFirstByte + kSniffBudget);
}

TEST_F(StreamStartTest, AnUnfinishedHelloIsNotWaitedForLongerThanItsBudget) {
  begin();
  look();
  put(client.test, "\x16\x03\x01\x02");  // of a ClientHello
  const Moment before = worker->loop().refresh_now();
  answered();
  ASSERT_TRUE(heard);
  EXPECT_LT(worker->loop().refresh_now() - before, kSniffFirstByte + kSniffBudget);
  EXPECT_EQ(rest(), "\x16\x03\x01\x02");
}

TEST_F(StreamStartTest, AClientThatEndsOrSaysSomethingElseIsDecidedAtOnce) {
  begin();
  look();
  put(client.test, "SSH-2.0-OpenSSH\r\n");
  const Moment before = worker->loop().refresh_now();
  answered();
  EXPECT_LT(worker->loop().refresh_now() - before, 500_ms);
  EXPECT_EQ(rest(), "SSH-2.0-OpenSSH\r\n");
  begin();
  look();
  ::shutdown(client.test.get(), SHUT_WR);
  answered();
  EXPECT_TRUE(heard);
}

TEST_F(StreamStartTest, AClientThatResetsEndsTheFlow) {
  begin();
  look();
  worker->loop().run_once(1_ms);
  const linger now{1, 0};
  ::setsockopt(client.test.get(), SOL_SOCKET, SO_LINGER, &now, sizeof now);
  client.test.reset();
  answered();
  ASSERT_FALSE(heard);
  EXPECT_EQ(heard.error().code, Errc::reset);
}

TEST_F(StreamStartTest, TheClientIsToldOnceAndOnlyWhenSomebodyLooks) {
  Told told;
  begin({}, &told);
  EXPECT_FALSE(start->welcomed());
  put(client.test, kRequest);
  for (int i = 0; i < 2; ++i) {
    look();
    answered();
    EXPECT_EQ(heard->host, "www.secret.test");
  }
  EXPECT_EQ(told.times, 1);
  EXPECT_TRUE(start->welcomed());
  told.outcome = fail(Errc::reset);
  begin({}, &told);
  look();
  answered();
  EXPECT_FALSE(heard);
}

TEST_F(StreamStartTest, ADestinationThatFailedTooOftenIsNotLookedAt) {
  const std::uint64_t key = SniffFailures::key_of(Network::tcp, request.destination);
  for (unsigned i = 0; i <= kSniffFailures; ++i)
    engine->sniffing().failures().failed(key, worker->loop().now());
  Told told;
  begin({}, &told);
  look();
  answered();
  ASSERT_TRUE(heard);
  EXPECT_EQ(heard->protocol, Protocol::none);
  EXPECT_FALSE(start->welcomed());
}

TEST_F(StreamStartTest, LongStartsAreReadUpToTheirBoundAndGoOnWhole) {
  // A field that never ends: HTTP until its bound says that there is no host.
  std::string text = "GET / HTTP/1.1\r\nX: ";
  text += std::string(100'000, 'x');
  begin();
  look();
  std::size_t sent = 0;
  for (int i = 0; i < 400 && (!done || sent < text.size()); ++i) {
    sent += put(client.test, std::string_view(text).substr(sent));
    worker->loop().run_once(1_ms);
  }
  answered();
  EXPECT_EQ(heard->protocol, Protocol::http);
  EXPECT_EQ(heard->host, "");
  EXPECT_EQ(rest(), text);
}

using SniffDecide = StreamStartTest;

TEST_F(SniffDecide, WithOverrideTheNameIsWhereTheFlowGoes) {
  begin(kRequest);
  request.destination = to("203.0.113.1:80").destination;
  auto out = decided(request, &*start);
  ASSERT_TRUE(out);
  EXPECT_EQ(shown_rule(*out), 0) << "DOMAIN-SUFFIX,secret.test";
  EXPECT_EQ(out->sniff_host, "www.secret.test");
  EXPECT_EQ(out->destination.name, "www.secret.test");
  EXPECT_FALSE(out->destination.ip.valid());
  contract::FlowInfo info;
  describe_request(request, info);
  describe_route(*out, info);
  EXPECT_EQ(info.sniff_host, "www.secret.test");
  EXPECT_EQ(info.destination.ip.to_string(), "203.0.113.1") << "what the client asked for";
}

TEST_F(SniffDecide, WithoutItOnlyRulesSeeTheName) {
  use_sniffer([](contract::Sniffer& s) { s.http.override_destination = false; });
  begin(kRequest);
  auto out = decided(request, &*start);
  ASSERT_TRUE(out);
  EXPECT_EQ(shown_rule(*out), 0);
  EXPECT_EQ(out->destination.name, "");
  EXPECT_EQ(out->destination.ip.to_string(), "203.0.113.1");
  EXPECT_EQ(out->sniff_host, "www.secret.test");
}

TEST_F(SniffDecide, ASkippedNameChangesNothing) {
  begin("GET / HTTP/1.1\r\nHost: x.skipped.test\r\n\r\n");
  auto out = decided(request, &*start);
  ASSERT_TRUE(out);
  EXPECT_EQ(out->sniff_host, "");
  EXPECT_EQ(out->destination.ip.to_string(), "203.0.113.1");
}

TEST_F(SniffDecide, RulesByAddressStillSeeTheOneThatTheClientDialled) {
  use_sniffer(
      [](contract::Sniffer&) {}, [](contract::Manifest&) {},
      ruleset::Condition::destination(*Prefix::parse("203.0.113.0/24"), ruleset::Resolve::yes));
  begin(kRequest);
  auto out = decided(request, &*start);
  ASSERT_TRUE(out);
  EXPECT_EQ(shown_rule(*out), 0);
  EXPECT_TRUE(names.queries.empty());
}

TEST_F(SniffDecide, AFakeAddressThatNobodyKnowsIsSavedByItsBytes) {
  request = to("198.18.0.77:80");
  begin(kRequest);
  auto out = decided(request, &*start);
  ASSERT_TRUE(out);
  EXPECT_EQ(out->destination.name, "www.secret.test");
  begin("GET / HTTP/1.0\r\n\r\n");
  EXPECT_EQ(decided(request, &*start).error().code, Errc::denied);
  request = to("198.18.0.77:22");
  begin(kRequest);
  EXPECT_EQ(decided(request, &*start).error().code, Errc::denied);
}

TEST_F(SniffDecide, LinesByProtocolLookWhenTheyAreReachedWithoutASniffer) {
  const auto off = [](contract::Sniffer& s) { s.enable = false; };
  const auto same = [](contract::Manifest&) {};
  using ruleset::Condition;
  use_sniffer(off, same, Condition::protocols(1U << static_cast<unsigned>(Protocol::http)));
  Told told;
  begin(kRequest, &told);
  auto out = decided(request, &*start);
  ASSERT_TRUE(out);
  EXPECT_EQ(shown_rule(*out), 0);
  EXPECT_TRUE(start->welcomed());
  EXPECT_EQ(out->sniff_host, "") << "nobody asked for names";
  EXPECT_EQ(out->destination.ip.to_string(), "203.0.113.1");
  begin("SSH-2.0-x\r\n");
  EXPECT_EQ(shown_rule(*decided(request, &*start)), 1);
  EXPECT_EQ(shown_rule(*decided(request, nullptr)), 1) << "nobody can look";
  // Behind another condition that does not hold nobody is looked at.
  using ruleset::PortRange;
  use_sniffer(off, same,
              Condition::all({Condition::protocols(1U << static_cast<unsigned>(Protocol::http)),
                              Condition::destination_ports(std::array{PortRange{443, 443}})}));
  begin(kRequest, &told);
  EXPECT_EQ(shown_rule(*decided(request, &*start)), 1);
  EXPECT_FALSE(start->welcomed());
}

TEST_F(SniffDecide, OneLookServesTheSnifferAndTheRules) {
  use_sniffer([](contract::Sniffer&) {}, [](contract::Manifest&) {},
              ruleset::Condition::protocols(1U << static_cast<unsigned>(Protocol::http)));
  Told told;
  begin(kRequest, &told);
  auto out = decided(request, &*start);
  ASSERT_TRUE(out);
  EXPECT_EQ(shown_rule(*out), 0);
  EXPECT_EQ(out->destination.name, "www.secret.test");
  EXPECT_EQ(told.times, 1);
}

}  // namespace
}  // namespace sluice::flow
