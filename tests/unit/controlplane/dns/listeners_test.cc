#include <gtest/gtest.h>
#include <sys/socket.h>

#include "tests/unit/controlplane/dns/bench.h"

namespace sluice::dns {
namespace {

using test::a_reply;
using test::append;
using test::Bench;
using test::Bytes;
using test::Flags;
using test::message;
using test::one;

Bytes framed(const Bytes& packet) {
  Bytes out;
  test::put16(out, static_cast<unsigned>(packet.size()));
  append(out, packet);
  return out;
}

TEST(DnsListeners, TcpQueriesArePipelinedAndSplitFramesWork) {
  Bench b;
  b.add_server([](ByteView q, bool) { return one(a_reply(q, "cb007107")); });
  b.options.hosts = {{.pattern = "nas.lan", .addresses = {*IpAddress::parse("192.168.1.2")}}};
  b.start();
  const UniqueFd fd = std::move(*start_connect(*b.dns->listen_address(), {}));
  Bytes wire = framed(message(1, Flags::kQuery, "slow.test", type::kA));
  append(wire, framed(message(2, Flags::kQuery, "nas.lan", type::kA)));
  b.turns(3);
  ASSERT_EQ(::send(fd.get(), wire.data(), 5, 0), 5);
  b.turns(3);
  ASSERT_EQ(::send(fd.get(), wire.data() + 5, wire.size() - 5, 0),
            static_cast<ssize_t>(wire.size() - 5));
  ::shutdown(fd.get(), SHUT_WR);  // still gets the answer that is pending
  Bytes got;
  bool ended = false;
  ASSERT_TRUE(b.until([&] {
    std::array<std::byte, 4096> buffer;
    const ssize_t n = ::recv(fd.get(), buffer.data(), buffer.size(), 0);
    if (n > 0) got.insert(got.end(), buffer.begin(), buffer.begin() + n);
    ended = n == 0;
    return ended;
  }));
  std::vector<unsigned> ids;
  for (Reader in{got}; in.left() > 0;) {
    const ByteView packet = in.take(in.u16be());
    ASSERT_GE(packet.size(), kHeaderSize);
    ids.push_back(decode_header(packet)->id);
  }
  EXPECT_EQ(ids, (std::vector<unsigned>{2, 1}));  // the one that was known overtakes
}

TEST(DnsListeners, RepliesLeaveFromTheAddressThatWasAsked) {
  Bench b;
  b.options.hosts = {{.pattern = "nas.lan", .addresses = {*IpAddress::parse("192.168.1.2")}}};
  b.options.dns.listen = Endpoint{IpAddress::v4(0), 0};
  b.start();
  const UniqueFd fd = std::move(*open_udp(Family::v4, {}));
  const Endpoint to{IpAddress::v4(0x7f000005), b.dns->listen_address()->port};
  sockaddr_storage raw{};
  const socklen_t size = to.to_sockaddr(raw);
  ASSERT_EQ(::connect(fd.get(), reinterpret_cast<const sockaddr*>(&raw), size), 0);
  const Bytes packet = message(1, Flags::kQuery, "nas.lan", type::kA);
  ASSERT_GT(::send(fd.get(), packet.data(), packet.size(), 0), 0);
  std::array<std::byte, 512> buffer;
  // A connected socket only takes replies from 127.0.0.5.
  EXPECT_TRUE(b.until([&] { return ::recv(fd.get(), buffer.data(), buffer.size(), 0) > 0; }));
}

TEST(DnsListeners, AReloadKeepsWhatStaysAndClosesWhatIsGone) {
  Bench b;
  b.options.hijack_devices = {"lo"};
  b.start();
  const auto listen = b.dns->listen_address();
  const auto hijack = b.dns->hijack_ports();
  ASSERT_EQ(hijack.size(), 1U);
  EXPECT_EQ(hijack[0].device, "lo");
  EXPECT_NE(hijack[0].udp, 0);
  EXPECT_NE(hijack[0].tcp, 0);
  b.options.dns.ipv6 = true;
  b.start();
  EXPECT_EQ(b.dns->listen_address(), listen);
  EXPECT_EQ(b.dns->hijack_ports(), hijack);
  b.options.dns.enable = false;  // the hijack serves on
  b.start();
  EXPECT_FALSE(b.dns->listen_address());
  EXPECT_EQ(b.dns->hijack_ports(), hijack);
  const auto taken = bind_udp(*listen);
  EXPECT_TRUE(taken);
  b.options.hijack_devices.clear();
  b.start();
  EXPECT_TRUE(b.dns->hijack_ports().empty());
}

TEST(DnsListeners, ATakenPortIsReportedAndTheRestWorks) {
  Bench b;
  const UniqueFd taken = std::move(*bind_udp(test::loopback()));
  const int off = 0;
  ::setsockopt(taken.get(), SOL_SOCKET, SO_REUSEADDR, &off, sizeof off);
  b.options.dns.listen = local_endpoint(taken.get());
  b.options.hijack_devices = {"lo", "no-such-dev0"};
  const auto problems = b.dns->apply(b.options);
  ASSERT_EQ(problems.size(), 2U);
  EXPECT_EQ(problems[0].at, *b.options.dns.listen);
  EXPECT_EQ(problems[0].error.code, Errc::exists);
  EXPECT_EQ(problems[1].device, "no-such-dev0");
  EXPECT_EQ(b.dns->hijack_ports().size(), 1U);
}

TEST(DnsListeners, EndingWhileEverythingWaitsIsClean) {
  Bench b;
  b.options.dns.mode = model::DnsMode::fake_ip;
  b.options.dns.fake_ip_filter = {"real.test"};
  auto& server = b.add_server([](ByteView, bool) { return std::vector<Bytes>{}; });
  b.start();
  b.send(message(1, Flags::kQuery, "fake.test", type::kA));
  b.send(message(2, Flags::kQuery, "real.test", type::kA));
  b.dns->resolve({.name = "x.test"}, [](contract::NameAnswer) { FAIL() << "after the end"; });
  const UniqueFd fd = std::move(*start_connect(*b.dns->listen_address(), {}));
  b.turns(3);
  const Bytes wire = framed(message(3, Flags::kQuery, "real.test", type::kA));
  ASSERT_GT(::send(fd.get(), wire.data(), wire.size(), 0), 0);
  ASSERT_TRUE(b.until([&] { return server.udp_count >= 2 && !b.sink.dones.empty(); }));
  b.dns.reset();
  b.sink.acknowledge();  // too late, and harmless
  b.turns(3);
}

}  // namespace
}  // namespace sluice::dns
