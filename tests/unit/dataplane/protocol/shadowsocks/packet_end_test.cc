#include "dataplane/protocol/shadowsocks/packet_end.h"

#include "proto/runtime/net/open.h"
#include "tests/unit/dataplane/support/end_fixture.h"
#include "tests/unit/dataplane/support/packets.h"

namespace sluice::shadowsocks {
namespace {

TEST(ShadowsocksKey, EmptyPasswordIsRefused) {
  EXPECT_EQ(Key::make(crypto::AeadKind::aes_128_gcm, "").error().code, Errc::invalid);
}

class ShadowsocksPacketEnd : public test::EndFixture {};

TEST_F(ShadowsocksPacketEnd, DatagramsGoBothWaysAndForgedOnesAreDropped) {
  const Key key = *Key::make(crypto::AeadKind::chacha20_poly1305, "secret");
  auto server = bind_udp(*Endpoint::parse("127.0.0.1:0"));
  ASSERT_TRUE(server);
  const Endpoint at = local_endpoint(server->get());
  auto socket = transport::connect_udp(*loop, at, {});
  ASSERT_TRUE(socket);
  DatagramBatch batch;
  auto end = PacketEnd::make(key, std::move(*socket), at, batch);
  ASSERT_TRUE(end);
  EXPECT_EQ((*end)->describe(), at.to_string());
  test::RememberingSink sink;
  (*end)->set_sink(&sink);

  const auto to = *Destination::from_host("example.com", 53);
  std::vector<test::RoomyPacket> packets(20, test::RoomyPacket(as_byte_view("query")));
  std::vector<transport::OutPacket> out;
  for (auto& one : packets) {
    // Copies share nothing: point each packet into its own buffer.
    one = test::RoomyPacket(as_byte_view("query"));
    out.push_back({one.packet, &to});
  }
  EXPECT_EQ((*end)->send(out), out.size());

  auto cipher = DatagramCipher::make(key);
  ASSERT_TRUE(cipher);
  DatagramBatch server_batch;
  std::size_t seen = 0;
  for (int i = 0; i < 100 && seen < out.size(); ++i) {
    const auto got = server_batch.receive(server->get());
    if (!got) continue;
    for (Packet& packet : *got) {
      const Endpoint from = packet.from;
      const auto address = cipher->open(packet);
      ASSERT_TRUE(address);
      EXPECT_EQ(socks::to_destination(*address)->to_string(), "example.com:53");
      EXPECT_EQ(as_text(packet.bytes()), "query");
      ++seen;
      const auto source = *Destination::from_host("9.9.9.9", 53);
      ASSERT_TRUE(cipher->seal(packet, source));
      const std::array<OutDatagram, 2> back{OutDatagram{packet.bytes(), from, {}},
                                            OutDatagram{as_byte_view("forged"), from, {}}};
      EXPECT_EQ(send_batch(server->get(), back, false), 2U);
    }
  }
  EXPECT_EQ(seen, out.size());
  for (int i = 0; i < 100 && sink.got.size() < seen; ++i) loop->run_once(5_ms);
  ASSERT_EQ(sink.got.size(), seen);
  for (const auto& one : sink.got) {
    EXPECT_EQ(one.payload, "query");
    EXPECT_EQ(one.from, *Endpoint::parse("9.9.9.9:53"));
  }
}

}  // namespace
}  // namespace sluice::shadowsocks
