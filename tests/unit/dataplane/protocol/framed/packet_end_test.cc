#include "dataplane/protocol/framed/packet_end.h"

#include "dataplane/transport/limits.h"
#include "tests/unit/dataplane/support/end_fixture.h"
#include "tests/unit/dataplane/support/packets.h"

namespace sluice::framed {
namespace {

class Frames final : public FrameSink {
 public:
  void on_frame(const socks::Address& address, Packet& packet) noexcept override {
    got.push_back(socks::to_destination(address)->to_string() + " " +
                  std::string(as_text(packet.bytes())));
  }
  void on_closed(Error reason) noexcept override { closed = reason.code; }
  std::vector<std::string> got;
  Errc closed = Errc::none;
};

class FramedPacketEnd : public test::EndFixture {
 protected:
  static std::size_t send(PacketEnd& end, std::string_view payload, const Destination& to,
                          std::size_t count = 1) {
    std::vector<test::RoomyPacket> packets;
    for (std::size_t i = 0; i < count; ++i) packets.emplace_back(as_byte_view(payload));
    std::vector<transport::OutPacket> out;
    for (auto& one : packets) out.push_back({one.packet, &to});
    return end.send(out);
  }
  void turns(int count) {
    for (int i = 0; i < count; ++i) loop->run_once(1_ms);
  }
};

TEST_F(FramedPacketEnd, TwoEndsUnderstandEachOther) {
  auto fds = socket_pair();
  PacketEnd client(make_end(std::move(fds[0])), SliceQueue());
  PacketEnd server(make_end(std::move(fds[1])), SliceQueue());
  test::RememberingSink answers;
  Frames requests;
  client.set_sink(&answers);
  server.set_frame_sink(&requests);
  EXPECT_EQ(send(client, "query", *Destination::from_host("example.com", 53), 3), 3U);
  turns(10);
  EXPECT_EQ(requests.got, std::vector<std::string>(3, "example.com:53 query"));
  EXPECT_EQ(send(server, "answer", *Destination::from_host("9.9.9.9", 53)), 1U);
  turns(10);
  ASSERT_EQ(answers.got.size(), 1U);
  EXPECT_EQ(answers.got[0].payload, "answer");
  EXPECT_EQ(answers.got[0].from, *Endpoint::parse("9.9.9.9:53"));
  EXPECT_EQ(pool.used_count(), 0U);
}

TEST_F(FramedPacketEnd, BytesReadWithTheHandshakeComeFirst) {
  test::RoomyPacket early(as_byte_view("early"));
  ASSERT_TRUE(push_frame_head(early.packet, *Destination::from_host("1.1.1.1", 1)));
  auto pair = make_pair();
  PacketEnd end(std::move(pair.end), queue_of(as_text(early.packet.bytes())));
  Frames frames;
  end.set_frame_sink(&frames);
  EXPECT_TRUE(frames.got.empty());
  turns(3);
  EXPECT_EQ(frames.got, std::vector<std::string>{"1.1.1.1:1 early"});
}

TEST_F(FramedPacketEnd, FullStreamDropsAndCountsAndNeverCutsAFrame) {
  auto pair = make_pair(4096);
  PacketEnd end(std::move(pair.end), SliceQueue());
  test::RememberingSink sink;
  end.set_sink(&sink);
  const auto to = *Destination::from_host("9.9.9.9", 53);
  const std::string payload = test::pattern(1000);
  std::size_t taken = 0;
  for (int i = 0; i < 10; ++i) taken += send(end, payload, to, 20);
  EXPECT_LT(taken, 200U);
  EXPECT_EQ(end.dropped(), 200 - taken);
  std::string wire;
  for (int i = 0; i < 1000 && wire.size() < taken * 1012; ++i) {
    turns(1);
    wire += hear(pair.peer);
  }
  EXPECT_EQ(wire.size(), taken * 1012);
  SliceQueue in = queue_of(wire);
  FrameReader reader;
  for (std::size_t i = 0; i < taken; ++i) {
    const auto frame = reader.next(in, pool);
    ASSERT_TRUE(frame && *frame) << i;
    EXPECT_EQ(as_text((*frame)->packet.bytes()), payload);
  }
  EXPECT_TRUE(in.empty());
  EXPECT_EQ(send(end, payload, to), 1U);
}

TEST_F(FramedPacketEnd, LackOfASliceDropsWholeDatagrams) {
  auto pair = make_pair();
  PacketEnd end(std::move(pair.end), SliceQueue());
  test::RememberingSink sink;
  end.set_sink(&sink);
  budget.set_bound(0);
  EXPECT_EQ(send(end, "x", *Destination::from_host("9.9.9.9", 53)), 0U);
  EXPECT_EQ(end.dropped(), 1U);
  budget.set_bound(1024 * kBlockBytes);
  EXPECT_EQ(send(end, "x", *Destination::from_host("9.9.9.9", 53)), 1U);
}

TEST_F(FramedPacketEnd, EndOfTheStreamIsToldOnce) {
  auto pair = make_pair();
  PacketEnd end(std::move(pair.end), SliceQueue());
  test::RememberingSink sink;
  end.set_sink(&sink);
  pair.peer.reset();
  turns(10);
  EXPECT_EQ(sink.closed, std::vector<Errc>{Errc::closed});
}

}  // namespace
}  // namespace sluice::framed
