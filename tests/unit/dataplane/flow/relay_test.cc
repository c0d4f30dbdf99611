#include "dataplane/flow/relay.h"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>

#include "dataplane/flow/limits.h"
#include "tests/unit/dataplane/flow/pair.h"

namespace sluice::flow {
namespace {

std::string pattern(std::size_t size) {
  std::string out(size, '\0');
  std::uint32_t state = 1;
  for (char& c : out) {
    state = state * 1664525 + 1013904223;
    c = static_cast<char>(state >> 24U);
  }
  return out;
}

/// Hands bytes on unchanged but counts as a layer, so that the relay must use slices.
class PlainLayer : public transport::Layer {
 public:
  [[nodiscard]] transport::LayerShape shape() const noexcept override { return {}; }
  [[nodiscard]] transport::LayerState state() const noexcept override {
    return transport::LayerState::open;
  }
  Status open(SliceQueue& wire, SliceQueue& plain, SliceQueue&) noexcept override {
    plain.append(std::move(wire));
    return {};
  }
  Status seal(SliceQueue& plain, SliceQueue& wire) noexcept override {
    wire.append(std::move(plain));
    return {};
  }
};

/// Ends its plain stream with a word, for which it needs a slice.
class GoodbyeLayer final : public PlainLayer {
 public:
  explicit GoodbyeLayer(SlicePool& pool) : pool_(pool) {}
  Status finish(SliceQueue& wire) noexcept override {
    return wire.copy_in(pool_, as_byte_view("bye"));
  }

 private:
  SlicePool& pool_;
};

class RelayTest : public ::testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    worker = std::move(*Worker::make({0, 4U << 20U}, budget, owner));
    client = connect_pair(*worker);
    upstream = connect_pair(*worker);
    if (GetParam()) upstream.end->push(std::make_unique<PlainLayer>());
  }

  /// Every slice there is.
  std::vector<Slice> hoard() {
    std::vector<Slice> all;
    for (;;) {
      auto slice = Slice::make(worker->slices());
      if (!slice) return all;
      all.push_back(std::move(*slice));
    }
  }
  void start(RelayLimits limits = {60_s, 60_s}) {
    relay = std::make_unique<Relay>(*worker, *client.end, *upstream.end, meter, grant, limits);
    worker->loop().spawn(drive());
  }
  Task<void> drive() {
    relay->start();
    const Status woke = co_await relay->wait(Until(Moment::never(), scope));
    outcome = relay->outcome(woke);
    relay.reset();
    client.end.reset();
    upstream.end.reset();
    ended = true;
  }
  template <class F>
  void turn_until(F&& done) {
    for (int i = 0; i < 20000 && !done(); ++i) worker->loop().run_once(1_ms);
    ASSERT_TRUE(done());
  }

  MemoryBudget budget{64U << 20U};
  NoOwner owner;
  std::unique_ptr<Worker> worker;
  TcpPair client;
  TcpPair upstream;
  Meter meter;
  Grant grant;
  CancelScope scope;
  std::unique_ptr<Relay> relay;
  Status outcome = fail(Errc::invalid);
  bool ended = false;
};

TEST_P(RelayTest, CarriesBothWaysUnchangedAndCounts) {
  start();
  const std::string up = pattern(3'000'000);
  const std::string down = pattern(5'000'001);
  Got at_server;
  Got at_client;
  std::size_t sent_up = 0;
  std::size_t sent_down = 0;
  turn_until([&] {
    sent_up += put(client.test, std::string_view(up).substr(sent_up, 300'000));
    sent_down += put(upstream.test, std::string_view(down).substr(sent_down, 300'000));
    take(upstream.test, at_server);
    take(client.test, at_client);
    return at_server.text.size() == up.size() && at_client.text.size() == down.size();
  });
  EXPECT_TRUE(at_server.text == up);
  EXPECT_TRUE(at_client.text == down);
  EXPECT_EQ(meter.upload, up.size());
  EXPECT_EQ(meter.download, down.size());
}

TEST_P(RelayTest, HalfCloseLetsTheAnswerThroughAndEndsInOrder) {
  start();
  ASSERT_EQ(put(client.test, "request"), 7U);
  ::shutdown(client.test.get(), SHUT_WR);
  Got at_server;
  turn_until([&] {
    take(upstream.test, at_server);
    return at_server.ended;
  });
  EXPECT_EQ(at_server.text, "request");
  EXPECT_FALSE(ended);
  const std::string answer = pattern(1'000'000);
  std::size_t sent = 0;
  Got at_client;
  turn_until([&] {
    sent += put(upstream.test, std::string_view(answer).substr(sent));
    if (sent == answer.size()) ::shutdown(upstream.test.get(), SHUT_WR);
    take(client.test, at_client);
    return at_client.ended;
  });
  EXPECT_TRUE(at_client.text == answer);
  turn_until([&] { return ended; });
  EXPECT_TRUE(outcome);
}

TEST_P(RelayTest, MirrorHalfCloseLetsTheUploadThrough) {
  start();
  ASSERT_EQ(put(upstream.test, "bye"), 3U);
  ::shutdown(upstream.test.get(), SHUT_WR);
  Got at_client;
  turn_until([&] {
    take(client.test, at_client);
    return at_client.ended;
  });
  EXPECT_FALSE(ended);
  ASSERT_EQ(put(client.test, "late"), 4U);
  ::shutdown(client.test.get(), SHUT_WR);
  Got at_server;
  turn_until([&] {
    take(upstream.test, at_server);
    return at_server.ended && ended;
  });
  EXPECT_EQ(at_server.text, "late");
  EXPECT_TRUE(outcome);
}

TEST_P(RelayTest, ResetIsPassedOnAsReset) {
  start();
  ASSERT_EQ(put(client.test, "x"), 1U);
  Got at_server;
  turn_until([&] {
    take(upstream.test, at_server);
    return at_server.text == "x";
  });
  const linger hard{1, 0};
  ::setsockopt(client.test.get(), SOL_SOCKET, SO_LINGER, &hard, sizeof hard);
  client.test.reset();
  turn_until([&] { return ended; });
  EXPECT_EQ(outcome.error().code, Errc::reset);
  EXPECT_EQ(outcome.error().side, Side::client);
  turn_until([&] {
    take(upstream.test, at_server);
    return at_server.reset;
  });
}

TEST_P(RelayTest, SilenceEndsItAtTheIdleLimitAndTrafficRenewsIt) {
  start({200_ms, 200_ms});
  const Moment begun = monotonic_now();
  for (int i = 0; i < 4; ++i) {
    const Moment next = monotonic_now() + 100_ms;
    while (monotonic_now() < next) worker->loop().run_once(5_ms);
    ASSERT_EQ(put(client.test, "."), 1U);
  }
  EXPECT_FALSE(ended);
  turn_until([&] { return ended; });
  EXPECT_EQ(outcome.error().code, Errc::timeout);
  EXPECT_GE((monotonic_now() - begun).count, 580);
}

TEST_P(RelayTest, PeersAreAskedForLifeOnceTheFlowHasLasted) {
  const auto option = [](const TcpPair& pair, int level, int name) {
    int value = -1;
    socklen_t size = sizeof value;
    EXPECT_EQ(::getsockopt(pair.end_fd, level, name, &value, &size), 0);
    return value;
  };
  const auto asks = [&](const TcpPair& pair) {
    return option(pair, SOL_SOCKET, SO_KEEPALIVE) == 1;
  };
  const Moment begun = worker->loop().refresh_now();
  start({.idle = 60_s, .half_closed = 60_s, .keep_alive = {.idle_s = 77}, .lasting = 50_ms});
  EXPECT_FALSE(asks(client));
  turn_until([&] { return asks(client); });
  EXPECT_GE((worker->loop().now() - begun).count, 50);
  EXPECT_TRUE(asks(upstream));
  EXPECT_EQ(option(upstream, IPPROTO_TCP, TCP_KEEPIDLE), 77);
}

TEST_P(RelayTest, CancelEndsIt) {
  start();
  worker->loop().run_once(0_ms);
  scope.cancel();
  turn_until([&] { return ended; });
  EXPECT_EQ(outcome.error().code, Errc::cancelled);
}

TEST_P(RelayTest, SlowReaderStopsTheReadingNotTheMemory) {
  start();
  const std::string chunk = pattern(1'000'000);
  std::size_t sent = 0;
  for (int i = 0; i < 300; ++i) {
    sent += put(upstream.test, chunk);
    worker->loop().run_once(0_ms);
  }
  EXPECT_LE(worker->slices().used_count() * kBlockBytes, kOutMark + 16 * kBlockBytes);
  Got at_client;
  turn_until([&] {
    take(client.test, at_client);
    return at_client.text.size() == sent;
  });
}

// What is in the pipe must not be overtaken when the other direction queues bytes at the same end.
TEST_P(RelayTest, BothWaysBlockedStayInOrder) {
  // Larger than a segment on loopback, or every read would wait for a window probe.
  const int modest = 256 * 1024;
  const int near = client.end->bare()->fd();
  ::setsockopt(near, SOL_SOCKET, SO_SNDBUF, &modest, sizeof modest);
  for (const int fd : {near, client.test.get(), upstream.test.get()})
    ::setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &modest, sizeof modest);
  start();
  const std::string text = pattern(16'000'000);
  std::size_t up = 0;
  for (int idle = 0; idle < 50;) {
    const std::size_t n = put(client.test, std::string_view(text).substr(up, 100'000));
    up += n;
    idle = n == 0 ? idle + 1 : 0;
    worker->loop().run_once(0_ms);
  }
  ASSERT_LT(up, text.size()) << "the server takes everything unread";
  std::size_t down = 0;
  for (int i = 0; i < 10'000 && client.end->queued() == 0; ++i) {
    down += put(upstream.test, std::string_view(text).substr(down, 1'000));
    worker->loop().run_once(0_ms);
  }
  ASSERT_NE(client.end->queued(), 0U);
  Got at_server;
  turn_until([&] {
    take(upstream.test, at_server);
    return at_server.text.size() >= up;
  });
  EXPECT_TRUE(at_server.text == text.substr(0, up));
  Got at_client;
  turn_until([&] {
    take(client.test, at_client);
    return at_client.text.size() >= down;
  });
  EXPECT_TRUE(at_client.text == text.substr(0, down));
}

// A read stops in front of an urgent byte, though more lies behind it and no event follows.
TEST_P(RelayTest, WhatFollowsAnUrgentByteIsCarried) {
  start();
  ASSERT_EQ(put(client.test, "abc"), 3U);
  ASSERT_EQ(::send(client.test.get(), "!", 1, MSG_OOB), 1);
  ASSERT_EQ(put(client.test, "def"), 3U);
  Got at_server;
  turn_until([&] {
    take(upstream.test, at_server);
    return at_server.text.size() >= 6;
  });
  EXPECT_EQ(at_server.text, "abcdef");
}

// splice never passes an urgent mark, and behind the peer's FIN it calls the mark an end.
TEST_P(RelayTest, AnUrgentByteInABulkFlowCutsNothingOff) {
  start();
  const std::string bulk = pattern(400'000);
  std::size_t sent = 0;
  Got at_server;
  turn_until([&] {
    sent += put(client.test, std::string_view(bulk).substr(sent));
    take(upstream.test, at_server);
    return at_server.text.size() == bulk.size();
  });
  ASSERT_EQ(put(client.test, std::string_view(bulk).substr(0, 50'000)), 50'000U);
  ASSERT_EQ(::send(client.test.get(), "!", 1, MSG_OOB), 1);
  ASSERT_EQ(put(client.test, std::string_view(bulk).substr(50'000, 50'000)), 50'000U);
  ::shutdown(client.test.get(), SHUT_WR);
  turn_until([&] {
    take(upstream.test, at_server);
    return at_server.ended;
  });
  EXPECT_TRUE(at_server.text == bulk + bulk.substr(0, 100'000)) << at_server.text.size();
}

TEST_P(RelayTest, IdleRelayHoldsNeitherPipeNorSlice) {
  start();
  const std::string bulk = pattern(2'000'000);
  std::size_t sent = 0;
  Got at_client;
  turn_until([&] {
    sent += put(upstream.test, std::string_view(bulk).substr(sent));
    take(client.test, at_client);
    return at_client.text.size() == bulk.size();
  });
  worker->loop().run_once(0_ms);
  EXPECT_EQ(worker->slices().used_count(), 0U);
  worker->pipes().trim(0);
  EXPECT_EQ(worker->pipes().held_bytes(), 0U);
}

TEST_P(RelayTest, EmptyPoolPausesReadingAndLosesNothing) {
  start();
  std::vector<Slice> all = hoard();
  ASSERT_EQ(put(client.test, "patience"), 8U);
  for (int i = 0; i < 20; ++i) worker->loop().run_once(2_ms);
  EXPECT_EQ(meter.upload, 0U);
  all.clear();
  Got at_server;
  turn_until([&] {
    take(upstream.test, at_server);
    return at_server.text == "patience";
  });
}

TEST_P(RelayTest, GoodbyeThatFoundNoSliceIsSaidWhenThereIsOne) {
  upstream.end->push(std::make_unique<GoodbyeLayer>(worker->slices()));
  start();
  std::vector<Slice> all = hoard();
  ::shutdown(client.test.get(), SHUT_WR);
  ::shutdown(upstream.test.get(), SHUT_WR);
  Got at_server;
  for (int i = 0; i < 20; ++i) worker->loop().run_once(2_ms);
  take(upstream.test, at_server);
  EXPECT_FALSE(at_server.ended || ended);
  all.clear();
  const Moment begin = worker->loop().now();
  turn_until([&] { return ended; });
  EXPECT_LT(worker->loop().now() - begin, 500_ms) << "not at some later tick";
  EXPECT_TRUE(outcome);
  take(upstream.test, at_server);
  EXPECT_EQ(at_server.text, "bye");
  EXPECT_TRUE(at_server.ended);
}

INSTANTIATE_TEST_SUITE_P(BareAndLayered, RelayTest, ::testing::Bool());

}  // namespace
}  // namespace sluice::flow
