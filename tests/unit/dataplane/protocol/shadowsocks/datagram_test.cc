#include "dataplane/protocol/shadowsocks/datagram.h"

#include <map>

#include "tests/unit/dataplane/support/packets.h"
#include "tests/unit/dataplane/support/vectors.h"

namespace sluice::shadowsocks {
namespace {

const std::map<std::string, crypto::AeadKind> kMethods{
    {"aes-128-gcm", crypto::AeadKind::aes_128_gcm},
    {"aes-256-gcm", crypto::AeadKind::aes_256_gcm},
    {"chacha20-ietf-poly1305", crypto::AeadKind::chacha20_poly1305}};

class DatagramTest : public ::testing::TestWithParam<std::string> {
 protected:
  test::Bytes bytes(const std::string& name) const { return known.bytes(GetParam() + "." + name); }
  test::Vectors known{"shadowsocks.txt"};
  Key key = *Key::make(kMethods.at(GetParam()), known.text("password"));
  DatagramCipher cipher = std::move(*DatagramCipher::make(key));
  Destination to = *Destination::from_host("8.8.8.8", 53);
};

TEST_P(DatagramTest, SealsAndOpensAsKnown) {
  test::RoomyPacket packet(as_byte_view("query"));
  ASSERT_TRUE(cipher.seal_with(packet.packet, to, bytes("udp_salt")));
  EXPECT_EQ(test::text_of(packet.packet.bytes()), test::text_of(bytes("udp_packet")));
  const auto address = cipher.open(packet.packet);
  ASSERT_TRUE(address);
  EXPECT_EQ(socks::to_endpoint(*address), *Endpoint::parse("8.8.8.8:53"));
  EXPECT_EQ(test::text_of(packet.packet.bytes()), "query");
}

TEST_P(DatagramTest, EveryPrefixAndEveryFlippedByteIsDropped) {
  const test::Bytes wire = bytes("udp_packet");
  for (std::size_t at = 0; at < wire.size(); ++at) {
    test::RoomyPacket cut(ByteView(wire).first(at));
    EXPECT_FALSE(cipher.open(cut.packet)) << at;
    test::Bytes bad = wire;
    bad[at] ^= std::byte{1};
    test::RoomyPacket flipped(bad);
    EXPECT_EQ(cipher.open(flipped.packet).error().code, Errc::bad_tag) << at;
  }
}

TEST_P(DatagramTest, NamesAreSentAsNamesAndSaltsDiffer) {
  const auto named = *Destination::from_host("example.com", 53);
  test::RoomyPacket first(as_byte_view(""));
  test::RoomyPacket second(as_byte_view(""));
  ASSERT_TRUE(cipher.seal(first.packet, named));
  ASSERT_TRUE(cipher.seal(second.packet, named));
  EXPECT_NE(test::text_of(first.packet.bytes()), test::text_of(second.packet.bytes()));
  const auto address = cipher.open(first.packet);
  ASSERT_TRUE(address);
  EXPECT_EQ(socks::to_destination(*address)->name, "example.com");
  EXPECT_EQ(first.packet.size, 0U);
}

TEST_P(DatagramTest, NeedsRoomOnBothSides) {
  const std::size_t head = key.salt_size() + 7;
  test::RoomyPacket short_head(as_byte_view("x"), head - 1, 16);
  EXPECT_EQ(cipher.seal(short_head.packet, to).error().code, Errc::no_room);
  test::RoomyPacket short_tail(as_byte_view("x"), head, 15);
  EXPECT_EQ(cipher.seal(short_tail.packet, to).error().code, Errc::no_room);
  test::RoomyPacket exact(as_byte_view("x"), head, 16);
  EXPECT_TRUE(cipher.seal(exact.packet, to));
}

INSTANTIATE_TEST_SUITE_P(Methods, DatagramTest,
                         ::testing::Values("aes-128-gcm", "aes-256-gcm", "chacha20-ietf-poly1305"));

}  // namespace
}  // namespace sluice::shadowsocks
