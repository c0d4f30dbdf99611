#include "dataplane/protocol/socks/packet_end.h"

#include <netinet/in.h>

#include "dataplane/protocol/socks/client.h"
#include "proto/runtime/net/open.h"
#include "tests/unit/dataplane/support/end_fixture.h"
#include "tests/unit/dataplane/support/packets.h"

namespace sluice::socks {
namespace {

using namespace std::string_view_literals;

/// A SOCKS server made of sockets, on 127.0.0.2 so that its address is not the usual one.
class SocksPacketEnd : public test::EndFixture {
 protected:
  void SetUp() override {
    auto listener = listen_tcp(*Endpoint::parse("127.0.0.2:0"));
    ASSERT_TRUE(listener);
    auto udp = bind_udp(*Endpoint::parse("127.0.0.2:0"));
    ASSERT_TRUE(udp);
    relay = std::move(*udp);
    auto fd = start_connect(local_endpoint(listener->get()), {});
    ASSERT_TRUE(fd);
    auto socket = Socket::adopt(*loop, std::move(*fd));
    ASSERT_TRUE(socket);
    client = std::make_unique<SocketEnd>(std::move(*socket), pool);
    Endpoint from;
    Result<UniqueFd> accepted = fail(Errc::again);
    for (int i = 0; i < 200 && !accepted; ++i) {
      loop->run_once(5_ms);
      accepted = accept_one(listener->get(), from);
    }
    ASSERT_TRUE(accepted);
    control = std::move(*accepted);
  }
  /// Associates with a server that reports `host` and its real port.
  std::unique_ptr<transport::PacketEnd> associate(std::string_view host) {
    const std::uint16_t port = local_endpoint(relay.get()).port;
    std::string reply("\5\0\5\0\0"sv);
    reply += host;
    reply += static_cast<char>(port >> 8);
    reply += static_cast<char>(port & 0xff);
    say(control, reply);
    auto end = run(associate_through(std::move(client), {}, batch, {}, soon()));
    EXPECT_TRUE(end);
    EXPECT_EQ(hear(control), "\5\1\0\5\3\0\1\0\0\0\0\0\0"sv);
    return end ? std::move(*end) : nullptr;
  }
  std::string relay_hears(sockaddr_storage& from) {
    std::array<char, 2000> buffer;
    socklen_t size = sizeof from;
    for (int i = 0; i < 100; ++i) {
      const ssize_t got = ::recvfrom(relay.get(), buffer.data(), buffer.size(), MSG_DONTWAIT,
                                     reinterpret_cast<sockaddr*>(&from), &size);
      if (got >= 0) return {buffer.data(), static_cast<std::size_t>(got)};
      loop->run_once(5_ms);
    }
    return "nothing";
  }
  UniqueFd relay;
  UniqueFd control;
  std::unique_ptr<SocketEnd> client;
  DatagramBatch batch;
  test::RememberingSink sink;
};

// B068: a relay address of 0.0.0.0 is the server's own.
TEST_F(SocksPacketEnd, B068UnspecifiedRelayMeansTheServersAddress) {
  const auto end = associate("\1\0\0\0\0"sv);
  ASSERT_NE(end, nullptr);
  EXPECT_EQ(end->describe(), local_endpoint(relay.get()).to_string());
  end->set_sink(&sink);
  const auto to = *Destination::from_host("example.com", 53);
  test::RoomyPacket query(as_byte_view("query"));
  std::array<transport::OutPacket, 1> out{transport::OutPacket{query.packet, &to}};
  EXPECT_EQ(end->send(out), 1U);
  sockaddr_storage from{};
  EXPECT_EQ(relay_hears(from), "\0\0\0\3\13example.com\0\65query"sv);
}

TEST_F(SocksPacketEnd, AnswersComeWithTheirSourceAndBadOnesAreDropped) {
  const auto end = associate("\3\3abc"sv);
  ASSERT_NE(end, nullptr);
  end->set_sink(&sink);
  const auto to = *Destination::from_host("8.8.8.8", 53);
  test::RoomyPacket query(as_byte_view("q"));
  std::array<transport::OutPacket, 1> out{transport::OutPacket{query.packet, &to}};
  ASSERT_EQ(end->send(out), 1U);
  sockaddr_storage from{};
  EXPECT_EQ(relay_hears(from), "\0\0\0\1\10\10\10\10\0\65q"sv);
  for (const auto wire : {"\0\0\1\1\10\10\10\10\0\65frag"sv, "\0\0\0\1\10\10"sv,
                          "\0\0\0\1\10\10\10\10\0\65answer"sv, "\0\0\0\3\3abc\0\65named"sv}) {
    ::sendto(relay.get(), wire.data(), wire.size(), 0, reinterpret_cast<sockaddr*>(&from),
             sizeof(sockaddr_in));
  }
  for (int i = 0; i < 100 && sink.got.size() < 2; ++i) loop->run_once(5_ms);
  ASSERT_EQ(sink.got.size(), 2U);
  EXPECT_EQ(sink.got[0].payload, "answer");
  EXPECT_EQ(sink.got[0].from, *Endpoint::parse("8.8.8.8:53"));
  EXPECT_EQ(sink.got[1].payload, "named");
  EXPECT_FALSE(sink.got[1].from.ip.valid());
}

TEST_F(SocksPacketEnd, EndOfTheControlConnectionEndsItOnce) {
  const auto end = associate("\1\0\0\0\0"sv);
  ASSERT_NE(end, nullptr);
  end->set_sink(&sink);
  say(control, "noise means nothing");
  for (int i = 0; i < 5; ++i) loop->run_once(5_ms);
  EXPECT_TRUE(sink.closed.empty());
  control.reset();
  for (int i = 0; i < 100 && sink.closed.empty(); ++i) loop->run_once(5_ms);
  for (int i = 0; i < 5; ++i) loop->run_once(5_ms);
  EXPECT_EQ(sink.closed, std::vector<Errc>{Errc::closed});
}

}  // namespace
}  // namespace sluice::socks
