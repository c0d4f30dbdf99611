// Clients of datagrams that are looked at: real hellos through a NAT, to a real peer.
#include "dataplane/flow/datagram_start.h"

#include <poll.h>
#include <sys/socket.h>

#include <cstring>
#include <fstream>
#include <iterator>

#include "dataplane/flow/nat.h"
#include "proto/common/cursor.h"
#include "proto/runtime/net/open.h"
#include "tests/unit/dataplane/flow/sniff_rules.h"

namespace sluice::flow {
namespace {

using contract::Protocol;
using ruleset::Condition;

/// What a real client sent: each datagram lies behind its size, two bytes.
std::vector<std::string> capture(const std::string& name) {
  std::ifstream in(std::string(SLUICE_GOLDEN) + "/sniff/" + name, std::ios::binary);
  EXPECT_TRUE(in.is_open()) << name;
  const std::string bytes{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  std::vector<std::string> out;
  for (Reader reader{as_byte_view(bytes)}; reader.left() > 0 && !reader.short_read();)
    out.emplace_back(as_text(reader.take(reader.u16be())));
  return out;
}

class Nobody final : public ClientSide {
 public:
  void reply(const Endpoint&, std::span<Packet>) noexcept override {}
};

constexpr std::uint32_t bit(Protocol protocol) {
  return 1U << static_cast<unsigned>(protocol);
}

class DatagramStartTest : public SniffRig {
 protected:
  void SetUp() override {
    SniffRig::SetUp();
    peer = std::move(*bind_udp({kLoopback, 0}));
    at = local_endpoint(peer.get());
  }
  void TearDown() override {
    worker->loop().end_roots();
    engine->nat().forget(side, {contract::CloseReason::stopped, "end"});
    SniffRig::TearDown();
  }
  /// QUIC on the peer's port; `first` is rejected, the rest goes on to the peer.
  void use(const Condition& first, bool enable = true) {
    use_sniffer(
        [&](contract::Sniffer& s) {
          s.enable = enable;
          s.quic.ports = {{at.port, at.port}};
          s.quic.override_destination = false;
        },
        [](contract::Manifest&) {}, first);
  }
  void send(std::string_view text) {
    std::array<std::byte, 4096> room{};
    std::memcpy(room.data() + kHeadroom, text.data(), text.size());
    Packet packet{.data = room.data() + kHeadroom,
                  .size = text.size(),
                  .headroom = kHeadroom,
                  .tailroom = room.size() - kHeadroom - text.size()};
    Request facts;
    facts.network = Network::udp;
    facts.inbound_type = contract::InboundType::tproxy;
    facts.source = {IpAddress::v4(0xc0000209), 4000};
    Destination destination;
    destination.ip = at.ip;
    destination.port = at.port;
    engine->nat().forward(side, facts, destination, packet);
    engine->nat().flush();
    worker->loop().run_once(1_ms);
  }
  /// Whatever comes to the peer within that time.
  std::vector<std::string> received(Millis patience = 100_ms) {
    std::vector<std::string> out;
    const Moment until = worker->loop().refresh_now() + patience;
    while (worker->loop().refresh_now() < until) {
      worker->loop().run_once(1_ms);
      std::string text(4096, '\0');
      const ssize_t n = ::recv(peer.get(), text.data(), text.size(), MSG_DONTWAIT);
      if (n >= 0) out.push_back(text.substr(0, static_cast<std::size_t>(n)));
    }
    return out;
  }

  UniqueFd peer;
  Endpoint at;
  Nobody side;
};

TEST_F(DatagramStartTest, AHelloOfTwoDatagramsIsKeptAndGoesOnInOrder) {
  use(Condition::domain("other.test"));
  const auto hello = capture("quic-chromium");
  ASSERT_EQ(hello.size(), 2U);
  send(hello[1]);
  EXPECT_TRUE(received().empty()) << "the name lies in the other one";
  EXPECT_EQ(engine->flows().count(), 0U);
  send(hello[0]);
  send("behind it");
  EXPECT_EQ(received(), (std::vector<std::string>{hello[1], hello[0], "behind it"}));
  ASSERT_EQ(engine->flows().count(), 1U);
  const contract::FlowInfo info = engine->flows().list()[0];
  EXPECT_EQ(info.sniff_host, "capture.test");
  EXPECT_EQ(info.destination.ip, at.ip);
  EXPECT_EQ(info.upload, hello[0].size() + hello[1].size() + 9);
}

TEST_F(DatagramStartTest, RulesByNameDecideAFlowThatHasOnlyAnAddress) {
  use(Condition::domain("capture.test"));
  send(capture("quic-aioquic-v1").front());
  EXPECT_TRUE(received().empty());
  EXPECT_EQ(engine->flows().count(), 0U) << "rejected";
}

TEST_F(DatagramStartTest, LinesByProtocolTellThemApart) {
  struct Row {
    const char* file;
    Protocol protocol;
  };
  for (const Row& row :
       {Row{"quic-aioquic-v2", Protocol::quic}, Row{"dtls-openssl", Protocol::dtls},
        Row{"stun-aioice", Protocol::stun}, Row{"utp-libtorrent", Protocol::bittorrent}}) {
    const std::string first = capture(row.file).front();
    for (const std::uint32_t bits : {bit(row.protocol), ~bit(row.protocol) & 0x7eU}) {
      engine->nat().forget(side, {contract::CloseReason::stopped, "next"});
      use(Condition::protocols(bits), false);
      send(first);
      EXPECT_EQ(received(50_ms).empty(), bits == bit(row.protocol)) << row.file;
    }
  }
}

TEST_F(DatagramStartTest, OtherDatagramsAreDecidedAtOnceAndFailedDestinationsNotLookedAt) {
  use(Condition::protocols(bit(Protocol::quic)), false);
  for (unsigned i = 0; i <= kSniffFailures; ++i) {
    engine->nat().forget(side, {contract::CloseReason::stopped, "next"});
    send("a question");
    EXPECT_EQ(received(20_ms), std::vector<std::string>{"a question"});
  }
  engine->nat().forget(side, {contract::CloseReason::stopped, "next"});
  const std::string hello = capture("quic-aioquic-v1").front();
  send(hello);
  EXPECT_EQ(received(20_ms), std::vector<std::string>{hello}) << "spared, so not seen as QUIC";
}

TEST_F(DatagramStartTest, AHelloThatNeverEndsIsWaitedForThreeSecondsOrUntilNoMoreIsKept) {
  use(Condition::domain("capture.test"));
  const std::string half = capture("quic-chromium")[1];
  send(half);
  EXPECT_TRUE(received(kSniffDatagrams - 500_ms).empty());
  EXPECT_EQ(received(1'000_ms), std::vector<std::string>{half});
  engine->nat().forget(side, {contract::CloseReason::stopped, "next"});
  for (std::size_t i = 0; i < kOpeningPackets; ++i) send(half);
  EXPECT_EQ(received(50_ms).size(), kOpeningPackets);
}

}  // namespace
}  // namespace sluice::flow
