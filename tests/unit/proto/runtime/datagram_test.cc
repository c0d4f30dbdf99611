#include <gtest/gtest.h>
#include <unistd.h>

#include <string>

#include "proto/runtime/net/datagram_batch.h"
#include "proto/runtime/net/open.h"
#include "proto/runtime/net/pipe_pool.h"
#include "proto/runtime/net/socket.h"

namespace sluice {
namespace {

class Datagrams : public ::testing::TestWithParam<const char*> {};

TEST_P(Datagrams, CrossInBatchesWithSenderAndLocalAddressOfEverySize) {
  ListenOptions options;
  options.packet_info = true;
  auto receiver = bind_udp(*Endpoint::parse(GetParam()), options);
  auto sender = bind_udp(*Endpoint::parse(GetParam()));
  ASSERT_TRUE(receiver && sender);
  const Endpoint to = local_endpoint(receiver->get());
  const std::string large(60000, 'x');
  const std::array<std::string, 4> texts{"", "a", std::string(1400, 'b'), large};
  std::vector<OutDatagram> out;
  for (const auto& text : texts) out.push_back({as_byte_view(text), to, {}});
  EXPECT_EQ(send_batch(sender->get(), out, false), out.size());
  DatagramBatch batch;
  const auto got = batch.receive(receiver->get());
  ASSERT_TRUE(got);
  ASSERT_EQ(got->size(), texts.size());
  for (std::size_t i = 0; i < texts.size(); ++i) {
    EXPECT_EQ(as_text((*got)[i].bytes()), texts[i]);
    EXPECT_EQ((*got)[i].from, local_endpoint(sender->get()));
    EXPECT_EQ((*got)[i].to.ip, to.ip);
    EXPECT_FALSE((*got)[i].truncated);
  }
  EXPECT_EQ(batch.receive(receiver->get()).error().code, Errc::again);
}

INSTANTIATE_TEST_SUITE_P(BothFamilies, Datagrams, ::testing::Values("127.0.0.1:0", "[::1]:0"));

TEST(Packet, GrowsIntoItsRoomAtBothEnds) {
  std::array<std::byte, 32> memory{};
  Packet p{.data = memory.data() + 8, .size = 4, .headroom = 8, .tailroom = 20};
  p.push(3);
  p.extend(5);
  EXPECT_EQ(p.size, 12U);
  EXPECT_EQ(p.headroom, 5U);
  EXPECT_EQ(p.tailroom, 15U);
  p.drop_front(3);
  EXPECT_EQ(p.data, memory.data() + 8);
}

TEST(PipePool, LendsWithinItsShareAndClosesIdleOnes) {
  PipePool pool(256 * 1024, 128 * 1024);
  auto a = pool.take();
  auto b = pool.take();
  if (!a || !b) GTEST_SKIP() << "this user's pipe pages are used up by other processes";
  EXPECT_EQ(pool.take().error().code, Errc::no_room);
  pool.give(std::move(*a));
  EXPECT_EQ(pool.idle_count(), 1U);
  auto again = pool.take();
  ASSERT_TRUE(again);
  ASSERT_EQ(::write(again->write.get(), "x", 1), 1);
  pool.drop(std::move(*again));
  pool.give(std::move(*b));
  pool.trim(0);
  EXPECT_EQ(pool.held_bytes(), 0U);
}

}  // namespace
}  // namespace sluice
