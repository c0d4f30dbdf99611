#include "dataplane/transport/socket_end.h"

#include <algorithm>
#include <cerrno>

#include "proto/runtime/net/open.h"
#include "tests/support/empty_pool.h"
#include "tests/unit/dataplane/support/end_fixture.h"
#include "tests/unit/dataplane/transport/layers.h"

namespace sluice {
namespace {

using transport::kOutMark;
using transport::kReadBudget;

class SocketEndTest : public test::EndFixture {
 protected:
  /// Reads until nothing more is there.
  std::string read_all(SocketEnd& end) {
    SliceQueue in;
    for (;;) {
      turn();
      const auto size = end.read(in, kReadBudget);
      if (!size) {
        last_error = size.error().code;
        return test::text_of(in);
      }
    }
  }
  Errc last_error = Errc::none;
};

TEST_F(SocketEndTest, BareEndPassesBytesBothWaysAndHoldsNothing) {
  auto [end, peer] = make_pair();
  EXPECT_NE(end->bare(), nullptr);
  say(peer, "hello");
  EXPECT_EQ(read_all(*end), "hello");
  EXPECT_EQ(last_error, Errc::again);
  SliceQueue out = queue_of("world");
  EXPECT_TRUE(end->write(out));
  EXPECT_TRUE(out.empty());
  EXPECT_EQ(hear(peer), "world");
  EXPECT_EQ(pool.used_count(), 0U);
  EXPECT_NE(end->bare(), nullptr);
}

TEST_F(SocketEndTest, WritesTheSlicesItWasGivenWithoutCopying) {
  auto [end, peer] = make_pair(4096);
  SliceQueue out = queue_of(test::pattern(200000));
  const std::size_t used = pool.used_count();
  ASSERT_TRUE(end->write(out));
  EXPECT_GT(end->queued(), 0U);
  EXPECT_LE(pool.used_count(), used);
  EXPECT_EQ(end->bare(), nullptr);
}

TEST_F(SocketEndTest, AnEndBehindTheLastPayloadStaysReadable) {
  for (const auto& [last, code] : {std::pair{"D\1xE", Errc::closed}, {"D\1x?", Errc::malformed}}) {
    auto [end, peer] = make_pair();
    end->push(std::make_unique<test::PingLayer>(pool));
    say(peer, last);
    turn();
    SliceQueue in;
    const auto size = end->read(in, kReadBudget);
    ASSERT_TRUE(size);
    EXPECT_EQ(*size, 1U);
    EXPECT_TRUE(end->readable()) << last;
    EXPECT_EQ(end->read(in, kReadBudget).error().code, code);
  }
}

TEST_F(SocketEndTest, ReadStaysWithinItsBudget) {
  auto [end, peer] = make_pair();
  say(peer, test::pattern(5000));
  turn();
  SliceQueue in;
  const auto size = end->read(in, 100);
  ASSERT_TRUE(size);
  EXPECT_EQ(*size, 100U);
  EXPECT_EQ(test::text_of(in), test::pattern(5000).substr(0, 100));
}

TEST_F(SocketEndTest, FullReadsGrowTheNextRead) {
  auto [end, peer] = make_pair(1 << 20);
  say(peer, test::pattern(150000));
  turn();
  std::size_t largest = 0;
  SliceQueue in;
  for (;;) {
    const auto size = end->read(in, kReadBudget);
    if (!size) break;
    largest = std::max(largest, *size);
  }
  EXPECT_GT(largest, 3 * kBlockBytes);
  EXPECT_EQ(test::text_of(in), test::pattern(150000));
}

TEST_F(SocketEndTest, QueuesWhatTheSocketDoesNotTakeAndSendsItLater) {
  auto [end, peer] = make_pair(4096);
  const std::string text = test::pattern(300000);
  SliceQueue out = queue_of(text);
  ASSERT_TRUE(end->write(out));
  EXPECT_GT(end->queued(), kOutMark);
  std::string got;
  for (int i = 0; i < 1000 && got.size() < text.size(); ++i) {
    got += hear(peer);
    turn();
    ASSERT_TRUE(end->flush());
  }
  EXPECT_EQ(got, text);
  EXPECT_EQ(end->queued(), 0U);
}

// What is left without EAGAIN is never announced: the socket stays writable and sends no new edge.
TEST_F(SocketEndTest, WritesMorePiecesThanOneCallTakes) {
  auto [end, peer] = make_pair();
  SliceQueue out;
  for (std::size_t i = 0; i < 2 * transport::kWriteParts + 1; ++i) out.append(queue_of("piece"));
  const std::size_t size = out.size();
  ASSERT_TRUE(end->write(out));
  EXPECT_EQ(end->queued(), 0U);
  EXPECT_EQ(hear(peer).size(), size);
}
TEST_F(SocketEndTest, FinishEndsOneDirectionOnceTheQueueIsOut) {
  auto [end, peer] = make_pair(4096);
  SliceQueue out = queue_of(test::pattern(100000));
  ASSERT_TRUE(end->write(out));
  ASSERT_TRUE(end->finish());
  ASSERT_TRUE(end->finish());
  std::string got;
  for (int i = 0; i < 1000 && !at_end(peer); ++i) {
    got += hear(peer);
    turn();
    ASSERT_TRUE(end->flush());
  }
  EXPECT_EQ(got.size(), 100000U);
  say(peer, "still here");
  EXPECT_EQ(read_all(*end), "still here");
  SliceQueue more = queue_of("x");
  EXPECT_EQ(end->write(more).error().code, Errc::closed);
}

TEST_F(SocketEndTest, EndOfStreamIsSticky) {
  auto [end, peer] = make_pair();
  say(peer, "last");
  ::shutdown(peer.get(), SHUT_WR);
  EXPECT_EQ(read_all(*end), "last");
  EXPECT_EQ(last_error, Errc::closed);
  SliceQueue in;
  EXPECT_EQ(end->read(in, kReadBudget).error().code, Errc::closed);
}

TEST_F(SocketEndTest, UnreadBytesComeFirst) {
  auto [end, peer] = make_pair();
  say(peer, "third");
  end->unread(queue_of("second "));
  end->unread(queue_of("first "));
  EXPECT_EQ(end->bare(), nullptr);
  EXPECT_TRUE(end->readable());
  EXPECT_EQ(read_all(*end), "first second third");
}

TEST_F(SocketEndTest, LayerAnswersWithoutItsUserKnowing) {
  auto [end, peer] = make_pair();
  end->push(std::make_unique<test::PingLayer>(pool));
  say(peer, std::string("P") + "D\x03" + "abcP");
  EXPECT_EQ(read_all(*end), "abc");
  EXPECT_EQ(hear(peer), "QQ");
  say(peer, "P");
  turn();
  SliceQueue in;
  const auto size = end->read(in, kReadBudget);
  ASSERT_TRUE(size);
  EXPECT_EQ(*size, 0U);
  EXPECT_EQ(hear(peer), "Q");
}

TEST_F(SocketEndTest, ReplyOfAnUpperLayerIsSealedByTheLowerOne) {
  auto [end, peer] = make_pair();
  end->push(std::make_unique<test::GrowingLayer>(pool));
  end->push(std::make_unique<test::PingLayer>(pool));
  say(peer, "<00001P>");
  EXPECT_EQ(read_all(*end), "");
  EXPECT_EQ(hear(peer), "<00001Q>");
}

TEST_F(SocketEndTest, LayersSayGoodbyeTopDownBeforeTheSocketDoes) {
  auto [end, peer] = make_pair();
  end->push(std::make_unique<test::GrowingLayer>(pool));
  end->push(std::make_unique<test::PingLayer>(pool));
  SliceQueue out = queue_of("hi");
  ASSERT_TRUE(end->write(out));
  ASSERT_TRUE(end->finish());
  EXPECT_EQ(hear(peer), std::string("<00004D\x02hi><00001E>"));
  EXPECT_TRUE(at_end(peer));
}

TEST_F(SocketEndTest, EndInsideALayerEndsReadingOnly) {
  auto [end, peer] = make_pair();
  end->push(std::make_unique<test::PingLayer>(pool));
  say(peer, "D\x01xE");
  EXPECT_EQ(read_all(*end), "x");
  EXPECT_EQ(last_error, Errc::closed);
  SliceQueue out = queue_of("y");
  EXPECT_TRUE(end->write(out));
  EXPECT_EQ(hear(peer), "D\x01y");
}

TEST_F(SocketEndTest, StreamThatEndsInsideARecordWasCut) {
  auto [end, peer] = make_pair();
  end->push(std::make_unique<test::PingLayer>(pool));
  say(peer, "D\x05xy");
  ::shutdown(peer.get(), SHUT_WR);
  EXPECT_EQ(read_all(*end), "");
  EXPECT_EQ(last_error, Errc::reset);
}

TEST_F(SocketEndTest, FailedLayerIsSticky) {
  auto [end, peer] = make_pair();
  end->push(std::make_unique<test::PingLayer>(pool));
  say(peer, "D\x01x?");
  EXPECT_EQ(read_all(*end), "x");
  EXPECT_EQ(last_error, Errc::malformed);
}

TEST_F(SocketEndTest, TickGoesThroughTheStack) {
  auto [end, peer] = make_pair();
  end->push(std::make_unique<test::GrowingLayer>(pool));
  end->push(std::make_unique<test::PingLayer>(pool));
  ASSERT_TRUE(end->tick(Moment{1000}));
  EXPECT_EQ(hear(peer), "<00001P>");
}

TEST_F(SocketEndTest, RecordsGrowInTheHeadroomThatReadingLeft) {
  auto [from, source] = make_pair(1 << 20);
  auto [to, sink] = make_pair(1 << 20);
  auto layer = std::make_unique<test::GrowingLayer>(pool);
  const test::GrowingLayer& watched = *layer;
  to->push(std::move(layer));
  EXPECT_GE(to->headroom(), 6U);
  say(source, test::pattern(50000));
  turn();
  SliceQueue in;
  while (from->read(in, kReadBudget)) {
  }
  ASSERT_TRUE(to->write(in));
  EXPECT_TRUE(watched.grew_in_place);
  const std::string wire = hear(sink);
  EXPECT_EQ(wire.size(), 50000U + 7 * static_cast<std::size_t>(std::ranges::count(wire, '<')));
}

TEST_F(SocketEndTest, TransparentLayerDropsOutMidStreamWithoutLosingBytes) {
  auto [end, peer] = make_pair();
  end->push(std::make_unique<test::SwitchLayer>());
  SliceQueue out = queue_of("abc");
  ASSERT_TRUE(end->write(out));
  EXPECT_EQ(hear(peer), "ABC");
  EXPECT_EQ(end->bare(), nullptr);
  say(peer, "HELLO\nPlain text");
  EXPECT_EQ(read_all(*end), "hello\nPlain text");
  EXPECT_NE(end->bare(), nullptr);
  out = queue_of("abc");
  ASSERT_TRUE(end->write(out));
  EXPECT_EQ(hear(peer), "abc");
}

TEST_F(SocketEndTest, LayerThatTurnsTransparentWhileSealingKeepsTheOrder) {
  auto [end, peer] = make_pair();
  end->push(std::make_unique<test::SwitchLayer>());
  SliceQueue out = queue_of("abc\nplain ");
  ASSERT_TRUE(end->write(out));
  out = queue_of("later");
  ASSERT_TRUE(end->write(out));
  EXPECT_EQ(hear(peer), "ABC\nplain later");
  EXPECT_NE(end->bare(), nullptr);
  say(peer, "Back");
  EXPECT_EQ(read_all(*end), "Back");
}

// The n-th slice is not to be had, for n = 0, 1, ...: nothing is lost, and with room it goes on.
TEST_F(SocketEndTest, LackOfSlicesLosesNothingInEitherDirection) {
  const std::string text = test::pattern(30000);
  std::string sealed;
  for (std::size_t i = 0; i < text.size(); i += 3000)
    sealed += "<03000" + text.substr(i, 3000) + ">";
  bool whole = false;
  for (std::uint64_t blocks = 0; !whole; ++blocks) {
    ASSERT_LT(blocks, 40U);
    auto [end, peer] = make_pair(1 << 20);
    end->push(std::make_unique<test::GrowingLayer>(pool));
    say(peer, sealed);
    turn();
    test::empty_pool(pool);
    budget.set_bound(budget.used() + blocks * kBlockBytes);
    SliceQueue in;
    std::string got;
    Result<std::size_t> size = 0;
    while ((size = end->read(in, kReadBudget))) {
      got += test::text_of(in);
      in.clear();
    }
    whole = size.error().code == Errc::again;
    EXPECT_TRUE(whole || size.error().code == Errc::no_room);
    budget.set_bound(1024 * kBlockBytes);
    while (end->read(in, kReadBudget)) {
    }
    got += test::text_of(in);
    ASSERT_EQ(got, text) << blocks;

    SliceQueue out = queue_of(text);
    test::empty_pool(pool);
    budget.set_bound(budget.used() + blocks * kBlockBytes);
    const Status written = end->write(out);
    EXPECT_TRUE(written || written.error().code == Errc::no_room);
    budget.set_bound(1024 * kBlockBytes);
    ASSERT_TRUE(end->write(out));
    std::string back;
    auto opener = test::GrowingLayer(pool);
    SliceQueue wire = queue_of(hear(peer));
    SliceQueue plain;
    SliceQueue none;
    ASSERT_TRUE(opener.open(wire, plain, none));
    EXPECT_EQ(test::text_of(plain), text) << blocks;
  }
}

TEST_F(SocketEndTest, GoodbyeThatFoundNoSliceIsSaidLater) {
  auto [end, peer] = make_pair();
  end->push(std::make_unique<test::PingLayer>(pool));
  keep_slices(0);
  EXPECT_EQ(end->finish().error().code, Errc::no_room);
  EXPECT_NE(end->queued(), 0U) << "or nobody would flush again";
  EXPECT_FALSE(at_end(peer));
  give_slices();
  EXPECT_TRUE(end->flush());
  EXPECT_EQ(end->queued(), 0U);
  EXPECT_EQ(hear(peer), "E");
  EXPECT_TRUE(at_end(peer));
}

TEST_F(SocketEndTest, AbortMakesTheFarSideSeeAReset) {
  auto listener = listen_tcp(*Endpoint::parse("127.0.0.1:0"));
  ASSERT_TRUE(listener);
  auto client = start_connect(local_endpoint(listener->get()), {});
  ASSERT_TRUE(client);
  Endpoint from;
  Result<UniqueFd> accepted = fail(Errc::again);
  for (int i = 0; i < 100 && !accepted; ++i) {
    turn();
    accepted = accept_one(listener->get(), from);
  }
  ASSERT_TRUE(accepted);
  auto end = make_end(std::move(*accepted));
  end->abort();
  end.reset();
  char one = 0;
  EXPECT_EQ(::recv(client->get(), &one, 1, 0), -1);
  EXPECT_EQ(errno, ECONNRESET);
}

}  // namespace
}  // namespace sluice
