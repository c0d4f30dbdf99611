// Segmentation and merging: whatever the kernel does, sizes, order and boundaries stay.
#include "proto/runtime/net/offload.h"

#include <gtest/gtest.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <string>
#include <thread>
#include <vector>

#include "proto/runtime/net/datagram_batch.h"
#include "proto/runtime/net/open.h"
#include "proto/runtime/net/packet_room.h"
#include "proto/runtime/net/socket.h"

namespace sluice {
namespace {

using Sizes = std::vector<std::size_t>;

/// The datagram number `number`: each has bytes of its own.
std::string content(std::size_t number, std::size_t size) {
  std::string out(size, static_cast<char>('a' + number % 26));
  for (std::size_t i = 0; i < std::min<std::size_t>(size, 4); ++i)
    out[i] = static_cast<char>(number >> (8 * i));
  return out;
}

class Offload : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const int room = 4 << 20;
    for (const auto* fd : {&plain, &merging})
      ::setsockopt(fd->get(), SOL_SOCKET, SO_RCVBUF, &room, sizeof room);
    ask_for_merged(merging.get());
  }
  std::vector<std::string> texts_of(const Sizes& sizes) {
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < sizes.size(); ++i) texts.push_back(content(i, sizes[i]));
    return texts;
  }
  std::vector<std::string> receive(int fd) {
    std::vector<std::string> got;
    for (auto packets = batch.receive(fd); packets; packets = batch.receive(fd)) {
      for (auto some = *packets; !some.empty(); some = batch.rest()) {
        for (const Packet& p : some) {
          got.emplace_back(as_text(p.bytes()));
          EXPECT_EQ(p.from, local_endpoint(sender.get()));
          EXPECT_FALSE(p.truncated);
          merged += p.headroom == 0 ? 1U : 0U;
        }
      }
    }
    return got;
  }
  void crosses(const Sizes& sizes) {
    const auto texts = texts_of(sizes);
    for (const auto* receiver : {&plain, &merging}) {
      std::vector<OutDatagram> out;
      for (const auto& text : texts)
        out.push_back({as_byte_view(text), local_endpoint(receiver->get()), {}, {}});
      EXPECT_EQ(send_batch(sender.get(), out, false, &limit), out.size());
      EXPECT_EQ(receive(receiver->get()), texts);
    }
  }

  UniqueFd sender = std::move(*bind_udp(*Endpoint::parse(GetParam())));
  UniqueFd plain = std::move(*bind_udp(*Endpoint::parse(GetParam())));
  UniqueFd merging = std::move(*bind_udp(*Endpoint::parse(GetParam())));
  DatagramBatch batch;
  SegmentLimit limit;
  std::size_t merged = 0;  // received as a part of a larger one, not as its first
};

TEST_P(Offload, EqualSizesCrossAsOne) {
  crosses(Sizes(40, 1200));
  EXPECT_EQ(merged, can_segment() ? 39U : 0U) << "the merging socket got one of forty parts";
  EXPECT_EQ(limit.bytes, kSegmentBytes);
}

TEST_P(Offload, MixedSizesKeepTheirOrder) {
  crosses({1, 1, 1200, 1200, 700, 1200, 1200, 1300, 64, 64, 64, 63, 64});
}
TEST_P(Offload, EmptyOnesStayAlone) {
  crosses({0, 0, 100, 100, 0, 100, 50, 0});
}
TEST_P(Offload, MoreThanAMessageHolds) {
  crosses(Sizes(200, 64));
  crosses(Sizes(150, 1472));  // 64 of them are more than an IPv4 packet
}
TEST_P(Offload, LargerThanASegmentGoAlone) {
  crosses({1473, 1473, 1473, 1472, 1472, 60'000, 60'000});
}

TEST_P(Offload, HeadsBelongToTheirDatagrams) {
  const Endpoint to = local_endpoint(merging.get());
  std::vector<OutDatagram> out;
  const std::vector<std::string> heads{"head-1 ", "head-1 ", "longer head ", ""};
  std::vector<std::string> expected;
  for (std::size_t i = 0; i < heads.size(); ++i) {
    out.push_back({as_byte_view("payload"), to, {}, as_byte_view(heads[i])});
    expected.push_back(heads[i] + "payload");
  }
  EXPECT_EQ(send_batch(sender.get(), out, false, &limit), out.size());
  EXPECT_EQ(receive(merging.get()), expected);
}

TEST_P(Offload, RunsEndWhereTheDestinationChanges) {
  std::vector<OutDatagram> out;
  const auto texts = texts_of(Sizes(12, 300));
  for (std::size_t i = 0; i < texts.size(); ++i)
    out.push_back(
        {as_byte_view(texts[i]), local_endpoint((i / 3 % 2 == 0 ? plain : merging).get()), {}, {}});
  EXPECT_EQ(send_batch(sender.get(), out, false, &limit), out.size());
  const std::vector<std::string> of_plain{texts[0], texts[1], texts[2],
                                          texts[6], texts[7], texts[8]};
  EXPECT_EQ(receive(plain.get()), of_plain);
  EXPECT_EQ(receive(merging.get()).size(), 6U);
}

TEST_P(Offload, AllPartsOfABufferHaveRoomWhenAsked) {
  crosses(Sizes(1, 10));
  const auto texts = texts_of(Sizes(50, 1000));
  std::vector<OutDatagram> out;
  for (const auto& text : texts)
    out.push_back({as_byte_view(text), local_endpoint(merging.get()), {}, {}});
  ASSERT_EQ(send_batch(sender.get(), out, false, &limit), out.size());
  const auto packets = batch.receive(merging.get());
  ASSERT_TRUE(packets);
  PacketRoom room;
  std::vector<Packet> roomy(packets->begin(), packets->end());
  for (Packet& packet : roomy) {
    ASSERT_TRUE(room.ensure(packet, 300, 16));
    std::memset(packet.push(300).data(), 'h', 300);
    std::memset(packet.extend(16).data(), 't', 16);
  }
  for (std::size_t i = 0; i < roomy.size(); ++i)
    EXPECT_EQ(as_text(roomy[i].bytes()), std::string(300, 'h') + texts[i] + std::string(16, 't'));
}

INSTANTIATE_TEST_SUITE_P(BothFamilies, Offload, ::testing::Values("127.0.0.1:0", "[::1]:0"));

TEST(PacketRoomTest, SaysWhenItIsFullAndTakesTheLargest) {
  PacketRoom room;
  std::vector<std::byte> large(kMaxDatagram);
  const auto bare = [&] { return Packet{.data = large.data(), .size = large.size()}; };
  Packet packet = bare();
  std::size_t held = 0;
  while (room.ensure(packet, kMaxDatagram / 1000, 1)) {
    ++held;
    packet = bare();
  }
  EXPECT_GE(held, 1U);
  EXPECT_EQ(packet.data, large.data()) << "left alone";
  room.reset();
  EXPECT_TRUE(room.ensure(packet, 1, 1));
}

/// A loopback of its own with a small MTU, for the calling thread. False: not allowed here.
bool small_loopback(int mtu) {
  if (::unshare(CLONE_NEWNET) != 0) return false;
  const UniqueFd fd(::socket(AF_INET, SOCK_DGRAM, 0));
  ifreq request{};
  std::snprintf(request.ifr_name, sizeof request.ifr_name, "lo");
  request.ifr_mtu = mtu;
  if (::ioctl(fd.get(), SIOCSIFMTU, &request) != 0) return false;
  request.ifr_flags = IFF_UP;
  return ::ioctl(fd.get(), SIOCSIFFLAGS, &request) == 0;
}

// A path that is narrower than Ethernet: the kernel refuses such segments, so they go alone and are
// fragmented as ever; smaller ones are segmented still.
TEST(OffloadNarrowPath, FallsBackToSingleDatagrams) {
  bool allowed = false;
  std::thread([&] {
    allowed = small_loopback(1280);
    if (!allowed) return;
    const UniqueFd sender = std::move(*bind_udp(*Endpoint::parse("127.0.0.1:0")));
    const UniqueFd receiver = std::move(*bind_udp(*Endpoint::parse("127.0.0.1:0")));
    ask_for_merged(receiver.get());
    DatagramBatch batch;
    SegmentLimit limit;
    const auto cross = [&](std::size_t size) {
      const std::string text(size, 'x');
      const std::vector<OutDatagram> out(
          8, {as_byte_view(text), local_endpoint(receiver.get()), {}, {}});
      EXPECT_EQ(send_batch(sender.get(), out, false, &limit), out.size());
      const auto got = batch.receive(receiver.get());
      ASSERT_TRUE(got);
      EXPECT_EQ(got->size(), out.size());
      for (const Packet& p : *got) EXPECT_EQ(p.size, size);
      EXPECT_EQ((*got)[1].headroom == 0, can_segment() && size < 1280) << size;
    };
    cross(1400);
    EXPECT_EQ(limit.bytes, can_segment() ? 1399U : kSegmentBytes);
    cross(1200);
    EXPECT_EQ(limit.bytes, can_segment() ? 1399U : kSegmentBytes);
  }).join();
  if (!allowed) GTEST_SKIP() << "needs the right to make a network namespace";
}

TEST(SendBatch, AnIcmpErrorOfAnEarlierDatagramCostsNoLaterOne) {
  const UniqueFd receiver = std::move(*bind_udp(*Endpoint::parse("127.0.0.1:0")));
  UniqueFd sender = std::move(*bind_udp(*Endpoint::parse("127.0.0.1:0")));
  const Endpoint nobody = local_endpoint(bind_udp(*Endpoint::parse("127.0.0.1:0"))->get());
  const int on = 1;
  ASSERT_EQ(::setsockopt(sender.get(), SOL_IP, IP_RECVERR, &on, sizeof on), 0);
  const OutDatagram lost{as_byte_view("x"), nobody, {}, {}};
  (void)send_batch(sender.get(), {&lost, 1}, false);  // its port-unreachable waits on the socket
  const OutDatagram good{as_byte_view("y"), local_endpoint(receiver.get()), {}, {}};
  EXPECT_EQ(send_batch(sender.get(), {&good, 1}, false), 1U);
  DatagramBatch batch;
  const auto got = batch.receive(receiver.get());
  ASSERT_TRUE(got);
  EXPECT_EQ(as_text(got->front().bytes()), "y");
}

TEST(SendBatch, OneThatIsTooLargeIsDroppedAlone) {
  const UniqueFd receiver = std::move(*bind_udp(*Endpoint::parse("127.0.0.1:0")));
  const UniqueFd sender = std::move(*bind_udp(*Endpoint::parse("127.0.0.1:0")));
  const Endpoint to = local_endpoint(receiver.get());
  const std::string most(kMaxDatagramV4, 'm');
  const std::string over(kMaxDatagramV4 + 1, 'o');
  const std::vector<OutDatagram> out{{as_byte_view("a"), to, {}, {}},
                                     {as_byte_view(over), to, {}, {}},
                                     {as_byte_view(most), to, {}, {}}};
  EXPECT_EQ(send_batch(sender.get(), out, false), 2U);
  DatagramBatch batch;
  const auto got = batch.receive(receiver.get());
  ASSERT_TRUE(got);
  ASSERT_EQ(got->size(), 2U);
  EXPECT_EQ((*got)[1].size, kMaxDatagramV4);
}

}  // namespace
}  // namespace sluice
