#include "dataplane/protocol/socks/udp_head.h"

#include <fstream>

#include "tests/unit/dataplane/support/packets.h"
#include "tests/unit/dataplane/support/vectors.h"

namespace sluice::socks {
namespace {

test::Bytes case_bytes(const std::string& name) {
  std::ifstream in(std::string(SLUICE_GOLDEN) + "/cases/" + name + ".hex");
  EXPECT_TRUE(in.is_open()) << name;
  test::Bytes out;
  for (std::string line; std::getline(in, line);)
    if (!line.starts_with('#')) out = test::from_hex(line);
  return out;
}

TEST(UdpHead, RoundTripsNamesAndAddresses) {
  const test::Vectors known("socks_http.txt");
  for (const char* name : {"8.8.8.8_53", "example.com_53"}) {
    const test::Bytes wire = known.bytes(std::string("socks5.udp_datagram_") + name + "_query");
    test::RoomyPacket packet(wire);
    const auto address = take_udp_head(packet.packet);
    ASSERT_TRUE(address) << name;
    EXPECT_EQ(as_text(packet.packet.bytes()), "query");
    const auto to = to_destination(*address);
    ASSERT_TRUE(to);
    ASSERT_TRUE(push_udp_head(packet.packet, *to));
    EXPECT_EQ(test::text_of(packet.packet.bytes()), test::text_of(wire));
  }
}

TEST(UdpHead, EveryPrefixOfAHeadIsDropped) {
  const test::Bytes wire = test::from_hex("000000030b6578616d706c652e636f6d0035");
  for (std::size_t cut = 0; cut < wire.size(); ++cut) {
    test::RoomyPacket packet(ByteView(wire).first(cut));
    EXPECT_EQ(take_udp_head(packet.packet).error().code, Errc::malformed) << cut;
  }
  test::RoomyPacket whole(wire);
  ASSERT_TRUE(take_udp_head(whole.packet));
  EXPECT_EQ(whole.packet.size, 0U);
}

TEST(UdpHead, B076HostileDatagramsAreDroppedAndOddPayloadsKept) {
  test::RoomyPacket zero(case_bytes("B076-zero"));
  ASSERT_TRUE(take_udp_head(zero.packet));
  EXPECT_EQ(test::text_of(zero.packet.bytes()), std::string("\0\0\1\2", 4));
  test::RoomyPacket empty(case_bytes("B076-empty"));
  ASSERT_TRUE(take_udp_head(empty.packet));
  EXPECT_EQ(empty.packet.size, 0U);
  for (const char* name : {"B076-frag", "B076-rsv", "B076-runt", "B076-domlen"}) {
    test::RoomyPacket bad(case_bytes(name));
    EXPECT_FALSE(take_udp_head(bad.packet)) << name;
  }
}

TEST(UdpHead, NeedsHeadroom) {
  const Destination source = *Destination::from_host("1.2.3.4", 5);
  test::RoomyPacket tight(as_byte_view("x"), 9);
  EXPECT_EQ(push_udp_head(tight.packet, source).error().code, Errc::no_room);
  EXPECT_EQ(tight.packet.size, 1U);
  test::RoomyPacket enough(as_byte_view("x"), 10);
  EXPECT_TRUE(push_udp_head(enough.packet, source));
}

TEST(UdpHead, OfASourceStandsBesideThePayload) {
  std::array<std::byte, kMaxEndpointHead> room;
  for (const char* text : {"1.2.3.4:5", "[2001:db8::1]:65535"}) {
    const Endpoint source = *Endpoint::parse(text);
    const ByteView head = write_udp_head(room, source);
    test::RoomyPacket packet(head);
    const auto address = take_udp_head(packet.packet);
    ASSERT_TRUE(address) << text;
    EXPECT_EQ(to_endpoint(*address), source);
    EXPECT_EQ(packet.packet.size, 0U);
  }
}

}  // namespace
}  // namespace sluice::socks
