#include "dataplane/protocol/shadowsocks/layer.h"

#include "tests/support/empty_pool.h"
#include "tests/unit/dataplane/support/end_fixture.h"
#include "tests/unit/dataplane/support/vectors.h"

namespace sluice::shadowsocks {
namespace {

using namespace std::string_view_literals;

/// The client's layer on an end; the server's side is made of the codec.
class ShadowsocksLayerTest : public test::EndFixture {
 protected:
  void SetUp() override {
    pair = make_pair(1 << 20);
    auto made = ShadowsocksLayer::make(key, pool, *Destination::from_host("example.com", 443));
    ASSERT_TRUE(made);
    layer = made->get();
    pair.end->push(std::move(*made));
  }
  /// What the server reads so far, opened.
  std::string server_opens() {
    SliceQueue plain;
    SliceQueue wire = queue_of(hear(pair.peer));
    EXPECT_TRUE(server.open(wire, plain));
    EXPECT_TRUE(wire.empty());
    return test::text_of(plain);
  }
  static constexpr auto kHead = "\3\13example.com\1\273"sv;
  Key key = *Key::make(crypto::AeadKind::aes_256_gcm, "secret");
  Pair pair;
  ShadowsocksLayer* layer = nullptr;
  Opener server{key, pool};
};

TEST_F(ShadowsocksLayerTest, AddressTravelsWithTheFirstPayloadInOneRecord) {
  EXPECT_GE(pair.end->headroom(), layer->shape().head);
  SliceQueue out = queue_of("GET /");
  ASSERT_TRUE(pair.end->write(out));
  const std::string wire = hear(pair.peer);
  EXPECT_EQ(wire.size(), 32 + 18 + kHead.size() + 5 + 16);
  SliceQueue in = queue_of(wire);
  SliceQueue plain;
  ASSERT_TRUE(server.open(in, plain));
  EXPECT_EQ(test::text_of(plain), std::string(kHead) + "GET /");
  out = queue_of("more");
  ASSERT_TRUE(pair.end->write(out));
  EXPECT_EQ(server_opens(), "more");
}

TEST_F(ShadowsocksLayerTest, EmptyWriteSendsTheHeadAloneAndOnlyOnce) {
  SliceQueue none;
  ASSERT_TRUE(pair.end->write(none));
  EXPECT_EQ(server_opens(), kHead);
  ASSERT_TRUE(pair.end->write(none));
  ASSERT_TRUE(pair.end->tick(Moment{1}));
  EXPECT_EQ(hear(pair.peer), "");
  SliceQueue out = queue_of("late");
  ASSERT_TRUE(pair.end->write(out));
  EXPECT_EQ(server_opens(), "late");
}

TEST_F(ShadowsocksLayerTest, TickSendsAHeadThatNobodyElseSent) {
  ASSERT_TRUE(pair.end->tick(Moment{1}));
  EXPECT_EQ(server_opens(), kHead);
}

TEST_F(ShadowsocksLayerTest, BulkIsSealedInTheSlicesItCameIn) {
  auto source = make_pair(1 << 20);
  const std::string text = test::pattern(100000);
  say(source.peer, text);
  turn();
  SliceQueue in;
  while (source.end->read(in, transport::kReadBudget)) {
  }
  test::empty_pool(pool);
  budget.set_bound(budget.used());  // not one slice more
  ASSERT_TRUE(pair.end->write(in));
  budget.set_bound(1024 * kBlockBytes);
  EXPECT_EQ(server_opens(), std::string(kHead) + text);
}

TEST_F(ShadowsocksLayerTest, SlicesWithoutRoomAroundThemAreCopied) {
  const std::string text = test::pattern(16352);
  auto full = Slice::make(pool, 0);
  ASSERT_TRUE(full);
  ASSERT_EQ(full->append(as_byte_view(text)), text.size());
  SliceQueue out;
  out.push_back(std::move(*full));
  ASSERT_TRUE(pair.end->write(out));
  EXPECT_EQ(server_opens(), std::string(kHead) + text);
}

TEST_F(ShadowsocksLayerTest, ServersAnswerArrivesAndABadOneEndsTheStream) {
  auto sealer = Sealer::make(key, test::Bytes(32, std::byte{9}));
  ASSERT_TRUE(sealer);
  std::string wire;
  for (const auto text : {"HTTP/1.1 200"sv, " OK"sv}) {
    auto slice = Slice::make(pool);
    slice->append(as_byte_view(text));
    ASSERT_TRUE(sealer->seal(*slice));
    wire += as_text(slice->data());
  }
  say(pair.peer, wire);
  SliceQueue in;
  turn();
  ASSERT_TRUE(pair.end->read(in, transport::kReadBudget));
  EXPECT_EQ(test::text_of(in), "HTTP/1.1 200 OK");
  say(pair.peer, std::string(40, 'x'));
  turn();
  EXPECT_EQ(pair.end->read(in, transport::kReadBudget).error().code, Errc::bad_tag);
  EXPECT_EQ(layer->state(), transport::LayerState::failed);
}

TEST_F(ShadowsocksLayerTest, SaltsDiffer) {
  auto other = make_pair();
  auto made = ShadowsocksLayer::make(key, pool, *Destination::from_host("example.com", 443));
  other.end->push(std::move(*made));
  SliceQueue none;
  ASSERT_TRUE(pair.end->write(none));
  ASSERT_TRUE(other.end->write(none));
  EXPECT_NE(hear(pair.peer).substr(0, 32), hear(other.peer).substr(0, 32));
}

TEST_F(ShadowsocksLayerTest, LackOfASliceForTheHeadIsNotTheEnd) {
  budget.set_bound(0);
  SliceQueue none;
  EXPECT_EQ(pair.end->write(none).error().code, Errc::no_room);
  budget.set_bound(1024 * kBlockBytes);
  ASSERT_TRUE(pair.end->write(none));
  EXPECT_EQ(server_opens(), kHead);
}

}  // namespace
}  // namespace sluice::shadowsocks
