#include "dataplane/transport/datagram_port.h"

#include "tests/unit/dataplane/support/end_fixture.h"

namespace sluice {
namespace {

class DatagramPortTest : public test::EndFixture, public transport::DatagramReceiver {
 protected:
  void on_datagrams(std::span<Packet> packets) noexcept override {
    for (const Packet& packet : packets) got.emplace_back(as_text(packet.bytes()));
  }
  std::vector<std::string> got;
  DatagramBatch batch;
};

TEST_F(DatagramPortTest, SendsAndReceivesInBatchesAndOnlyFromItsPeer) {
  auto peer = bind_udp(*Endpoint::parse("127.0.0.1:0"));
  ASSERT_TRUE(peer);
  auto socket = transport::connect_udp(*loop, local_endpoint(peer->get()), {});
  ASSERT_TRUE(socket);
  const Endpoint at = socket->local();
  transport::DatagramPort port(std::move(*socket), batch, *this);
  port.start();
  EXPECT_TRUE(got.empty());

  std::vector<OutDatagram> out(100);
  for (OutDatagram& one : out) one.bytes = as_byte_view("ping");
  EXPECT_EQ(port.send(out), out.size());
  char one = 0;
  for (std::size_t i = 0; i < out.size(); ++i)
    EXPECT_EQ(::recv(peer->get(), &one, 1, MSG_DONTWAIT), 1) << i;

  const auto stranger = bind_udp(*Endpoint::parse("127.0.0.1:0"));
  ASSERT_TRUE(stranger);
  sockaddr_storage raw{};
  const socklen_t size = at.to_sockaddr(raw);
  const auto say_to = [&](int fd, std::string_view text) {
    ::sendto(fd, text.data(), text.size(), 0, reinterpret_cast<const sockaddr*>(&raw), size);
  };
  say_to(stranger->get(), "evil");
  for (int i = 0; i < 100; ++i) say_to(peer->get(), "pong");
  for (int i = 0; i < 50 && got.size() < 100; ++i) loop->run_once(10_ms);
  EXPECT_EQ(got, std::vector<std::string>(100, "pong"));
}

TEST_F(DatagramPortTest, GoesOnAfterAnIcmpError) {
  auto peer = bind_udp(*Endpoint::parse("127.0.0.1:0"));
  ASSERT_TRUE(peer);
  const Endpoint at = local_endpoint(peer->get());
  auto socket = transport::connect_udp(*loop, at, {});
  ASSERT_TRUE(socket);
  const Endpoint mine = socket->local();
  transport::DatagramPort port(std::move(*socket), batch, *this);
  port.start();
  peer->reset();
  const std::array<OutDatagram, 1> out{OutDatagram{as_byte_view("x"), {}, {}}};
  port.send(out);
  for (int i = 0; i < 5; ++i) loop->run_once(5_ms);
  peer = bind_udp(at);
  ASSERT_TRUE(peer);
  sockaddr_storage raw{};
  const socklen_t size = mine.to_sockaddr(raw);
  ::sendto(peer->get(), "back", 4, 0, reinterpret_cast<const sockaddr*>(&raw), size);
  for (int i = 0; i < 50 && got.empty(); ++i) loop->run_once(10_ms);
  EXPECT_EQ(got, std::vector<std::string>{"back"});
}

/// Somebody else than the port's own receiver.
class Heir final : public transport::DatagramReceiver {
 public:
  void on_datagrams(std::span<Packet> packets) noexcept override { count += packets.size(); }
  std::size_t count = 0;
};

TEST_F(DatagramPortTest, GivesWhatWaitsToAnotherReceiver) {
  auto bound = bind_udp(*Endpoint::parse("127.0.0.1:0"));
  const auto peer = bind_udp(*Endpoint::parse("127.0.0.1:0"));
  ASSERT_TRUE(bound && peer);
  const Endpoint at = local_endpoint(bound->get());
  auto socket = Socket::adopt(*loop, std::move(*bound));
  ASSERT_TRUE(socket);
  transport::DatagramPort port(std::move(*socket), batch, *this);
  port.start();
  const std::vector<OutDatagram> out(100, OutDatagram{as_byte_view("x"), at, {}});
  ASSERT_EQ(send_batch(peer->get(), out, false), out.size());
  Heir heir;
  port.drain_to(heir);
  EXPECT_EQ(heir.count, out.size());
  for (int i = 0; i < 5; ++i) loop->run_once(1_ms);
  EXPECT_TRUE(got.empty());
}

}  // namespace
}  // namespace sluice
