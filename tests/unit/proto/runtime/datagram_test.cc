#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

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

constexpr int kExpedited = 46 << 2;  // EF, RFC 3246, as a TOS byte

void mark(int fd, Family family) {
  const bool v4 = family == Family::v4;
  ASSERT_EQ(::setsockopt(fd, v4 ? SOL_IP : SOL_IPV6, v4 ? IP_TOS : IPV6_TCLASS, &kExpedited,
                         sizeof kExpedited),
            0);
}

TEST_P(Datagrams, ReportTheirDscpWhileTheSocketAsks) {
  const auto receiver = bind_udp(*Endpoint::parse(GetParam()));
  const auto sender = bind_udp(*Endpoint::parse(GetParam()));
  const Endpoint to = local_endpoint(receiver->get());
  const OutDatagram out{as_byte_view("x"), to, {}};
  send_batch(sender->get(), std::span(&out, 1), false);
  mark(sender->get(), to.ip.family());
  DatagramBatch batch;
  ASSERT_TRUE(batch.receive(receiver->get()));
  const std::optional<std::uint8_t> expedited = 46;
  for (const auto& expected : {expedited, std::optional<std::uint8_t>(), expedited}) {
    ASSERT_TRUE(ask_for_dscp(receiver->get(), expected.has_value()));
    send_batch(sender->get(), std::span(&out, 1), false);
    const auto got = batch.receive(receiver->get());
    ASSERT_TRUE(got);
    EXPECT_EQ(got->front().dscp, expected);
  }
}

TEST_P(Datagrams, WithoutAMarkHaveADscpOfZero) {
  const auto receiver = bind_udp(*Endpoint::parse(GetParam()));
  const auto sender = bind_udp(*Endpoint::parse(GetParam()));
  ASSERT_TRUE(ask_for_dscp(receiver->get(), true));
  const OutDatagram out{as_byte_view("x"), local_endpoint(receiver->get()), {}};
  send_batch(sender->get(), std::span(&out, 1), false);
  DatagramBatch batch;
  const auto got = batch.receive(receiver->get());
  ASSERT_TRUE(got);
  EXPECT_EQ(got->front().dscp, std::optional<std::uint8_t>(0));
}

TEST(DualStackDatagrams, ReportTheDscpOfIpv4Too) {
  ListenOptions options;
  options.packet_info = options.dual_stack = true;
  auto receiver = bind_udp(*Endpoint::parse("[::]:0"), options);
  ASSERT_TRUE(ask_for_dscp(receiver->get(), true));
  auto sender = bind_udp(*Endpoint::parse("127.0.0.1:0"));
  mark(sender->get(), Family::v4);
  const Endpoint to{IpAddress::v4(0x7f000001), local_endpoint(receiver->get()).port};
  const OutDatagram out{as_byte_view("x"), to, {}};
  send_batch(sender->get(), std::span(&out, 1), false);
  DatagramBatch batch;
  const auto got = batch.receive(receiver->get());
  ASSERT_TRUE(got);
  EXPECT_EQ(got->front().dscp, std::optional<std::uint8_t>(46));
  EXPECT_EQ(got->front().to.ip, to.ip);
}

TEST(AskForDscp, SaysWhenItCannot) {
  EXPECT_FALSE(ask_for_dscp(-1, true));
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

class PipePoolTest : public ::testing::Test {
 protected:
  static constexpr std::size_t kShare = 2 * PipePool::kDeepBytes;

  Pipe take(PipeSize wish) {
    auto pipe = pool.take(wish);
    EXPECT_TRUE(pipe);
    return pipe ? std::move(*pipe) : Pipe{};
  }

  PipePool pool{kShare};
};

TEST_F(PipePoolTest, LendsWithinItsShare) {
  std::vector<Pipe> lent;
  for (std::size_t i = 0; i < kShare / PipePool::kSmallBytes; ++i) {
    lent.push_back(take(PipeSize::small));
    ASSERT_EQ(lent.back().capacity, PipePool::kSmallBytes);
  }
  EXPECT_EQ(pool.take(PipeSize::small).error().code, Errc::no_room);
  EXPECT_EQ(pool.take(PipeSize::deep).error().code, Errc::no_room);
  pool.give(std::move(lent.back()));
  lent.pop_back();
  EXPECT_EQ(take(PipeSize::deep).capacity, PipePool::kSmallBytes) << "no share left to deepen it";
}

TEST_F(PipePoolTest, DeepPipesGetHalfOfTheShare) {
  const Pipe deep = take(PipeSize::deep);
  EXPECT_EQ(deep.capacity, PipePool::kDeepBytes);
  const Pipe second = take(PipeSize::deep);
  EXPECT_EQ(second.capacity, PipePool::kSmallBytes);
}

TEST_F(PipePoolTest, AnIdlePipeServesEitherWish) {
  pool.give(take(PipeSize::small));
  pool.give(take(PipeSize::deep));
  EXPECT_EQ(pool.idle_count(), 1U) << "the small one was deepened";
  EXPECT_EQ(pool.held_bytes(), PipePool::kDeepBytes);
  EXPECT_EQ(take(PipeSize::small).capacity, PipePool::kDeepBytes);
}

TEST_F(PipePoolTest, TrimKeepsSmallOnesOnly) {
  Pipe small = take(PipeSize::small);
  Pipe deep = take(PipeSize::deep);
  pool.give(std::move(small));
  pool.give(std::move(deep));
  pool.trim(1);
  EXPECT_EQ(pool.held_bytes(), PipePool::kSmallBytes);
  EXPECT_EQ(take(PipeSize::deep).capacity, PipePool::kDeepBytes) << "its share came back";
}

TEST_F(PipePoolTest, OneThatHoldsBytesIsDropped) {
  Pipe pipe = take(PipeSize::deep);
  ASSERT_EQ(::write(pipe.write.get(), "x", 1), 1);
  pool.drop(std::move(pipe));
  EXPECT_EQ(pool.held_bytes(), 0U);
  EXPECT_EQ(take(PipeSize::deep).capacity, PipePool::kDeepBytes);
}

}  // namespace
}  // namespace sluice
