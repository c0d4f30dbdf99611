#include "dataplane/flow/unreachable_replies.h"

#include <gtest/gtest.h>

namespace sluice::flow {
namespace {

std::uint16_t sum_of(ByteView bytes) {
  std::uint32_t sum = 0;
  Reader in{bytes};
  for (std::size_t i = 0; i < bytes.size(); i += 2) sum += in.u16be();
  while (sum >> 16U != 0) sum = (sum & 0xffffU) + (sum >> 16U);
  return static_cast<std::uint16_t>(sum);
}

// RFC 792: type 3, code 3; the header that is quoted is the client's own.
TEST(UnreachableReplies, QuoteTheClientsIpv4Datagram) {
  std::array<std::byte, kMaxUnreachable> room{};
  const Endpoint client = *Endpoint::parse("192.168.1.2:4000");
  const Endpoint to = *Endpoint::parse("203.0.113.9:53");
  const ByteView wire = write_unreachable(room, client, to, Unreachable::port);
  ASSERT_EQ(wire.size(), 8U + 20U + 8U);
  EXPECT_EQ(sum_of(wire), 0xffff) << "a right checksum sums up to all ones";
  EXPECT_EQ(sum_of(wire.subspan(8, 20)), 0xffff);
  Reader in{wire};
  EXPECT_EQ(in.u8(), 3);
  EXPECT_EQ(in.u8(), 3);
  (void)in.take(6 + 9);
  EXPECT_EQ(in.u8(), 17);
  (void)in.take(2);
  EXPECT_EQ(IpAddress::from_bytes(in.take(4)), client.ip);
  EXPECT_EQ(IpAddress::from_bytes(in.take(4)), to.ip);
  EXPECT_EQ(in.u16be(), 4000);
  EXPECT_EQ(in.u16be(), 53);
}

// RFC 4443 section 3.1: type 1, code 4.
TEST(UnreachableReplies, QuoteTheClientsIpv6Datagram) {
  std::array<std::byte, kMaxUnreachable> room{};
  const Endpoint client = *Endpoint::parse("[fd00::2]:4000");
  const Endpoint to = *Endpoint::parse("[2001:db8::9]:53");
  const ByteView wire = write_unreachable(room, client, to, Unreachable::port);
  ASSERT_EQ(wire.size(), 8U + 40U + 8U);
  Reader in{wire};
  EXPECT_EQ(in.u8(), 1);
  EXPECT_EQ(in.u8(), 4);
  (void)in.take(6);
  EXPECT_EQ(in.u8() >> 4U, 6);
  (void)in.take(5);
  EXPECT_EQ(in.u8(), 17);
  (void)in.take(1);
  EXPECT_EQ(IpAddress::from_bytes(in.take(16)), client.ip);
  EXPECT_EQ(IpAddress::from_bytes(in.take(16)), to.ip);
  EXPECT_EQ(in.u16be(), 4000);
  EXPECT_EQ(in.u16be(), 53);
}

TEST(UnreachableReplies, EachReasonHasItsCode) {
  const std::pair<Unreachable, std::pair<int, int>> codes[] = {
      {Unreachable::network, {0, 0}},
      {Unreachable::host, {1, 3}},
      {Unreachable::prohibited, {13, 1}},
  };
  for (const auto& [why, code] : codes) {
    std::array<std::byte, kMaxUnreachable> room{};
    const Endpoint v4 = *Endpoint::parse("1.2.3.4:5");
    const Endpoint v6 = *Endpoint::parse("[::1]:5");
    EXPECT_EQ(static_cast<int>(write_unreachable(room, v4, v4, why)[1]), code.first);
    EXPECT_EQ(static_cast<int>(write_unreachable(room, v6, v6, why)[1]), code.second);
  }
}

}  // namespace
}  // namespace sluice::flow
