#include "dataplane/sniff/quic.h"

#include "tests/unit/dataplane/sniff/flow.h"
#include "tests/unit/dataplane/sniff/quic_packets.h"
#include "tests/unit/dataplane/support/vectors.h"

namespace sluice::sniff {
namespace {

using namespace test;

sluice::test::Bytes bytes_of(ByteView view) {
  return {view.begin(), view.end()};
}

// RFC 9001 appendix A and RFC 9369 appendix A.
TEST(SniffQuic, MatchesTheKeysAndThePacketOfBothRfcs) {
  const sluice::test::Vectors known("quic_initial.txt");
  const auto dcid = known.bytes("dcid");
  for (const std::string name : {"v1", "v2"}) {
    const auto version = name == "v1" ? QuicVersion::v1 : QuicVersion::v2;
    const auto keys = client_initial_keys(version, dcid);
    ASSERT_TRUE(keys);
    EXPECT_EQ(bytes_of(keys->key), known.bytes(name + ".key"));
    EXPECT_EQ(bytes_of(keys->iv), known.bytes(name + ".iv"));
    EXPECT_EQ(bytes_of(keys->mask_key), known.bytes(name + ".mask"));

    const auto wire = known.bytes(name + ".packet");
    ByteView rest = wire;
    const auto packet = take_packet(rest);
    ASSERT_TRUE(packet);
    EXPECT_TRUE(rest.empty());
    EXPECT_EQ(packet->version, version);
    EXPECT_EQ(packet->type, LongPacket::Type::initial);
    Flow flow;
    const auto frames = flow.opener().open(*keys, *packet);
    ASSERT_TRUE(frames);
    auto expected = known.bytes(name + ".frames");
    expected.resize(1162);  // PADDING
    EXPECT_EQ(bytes_of(*frames), expected);
    expect_found_last({std::string(as_text(wire))}, Protocol::quic, "example.com");
  }
}

TEST(SniffQuic, NoPrefixAndNoFlippedBitOfADatagramIsFound) {
  const std::string wire = initial({}, crypto_frame(0, hello_message(server_name("a.test"))));
  expect_found_last({wire}, Protocol::quic, "a.test");
  for (std::size_t cut = 0; cut < wire.size(); ++cut) {
    Flow flow;
    ASSERT_EQ(flow.feed(wire.substr(0, cut)).verdict, Verdict::nothing) << cut;
  }
  for (std::size_t bit = 0; bit < 8 * wire.size(); bit += 7) {
    std::string bad = wire;
    bad[bit / 8] = static_cast<char>(bad[bit / 8] ^ 1 << bit % 8);
    Flow flow;
    ASSERT_NE(flow.feed(bad).verdict, Verdict::found) << bit;
  }
}

TEST(SniffQuic, HelloMayBeSplitOverFramesPacketsAndDatagramsInAnyOrder) {
  const std::string message = hello_message(ech() + server_name("a.test"));
  const std::string_view text = message;
  const std::string last = crypto_frame(1200, text.substr(1200));
  const std::string middle = crypto_frame(600, text.substr(600, 600));
  const std::string first = crypto_frame(0, text.substr(0, 600));
  const std::string ping_and_padding("\x01\x00\x00", 3);
  const std::string ack("\x02\x05\x00\x01\x02\x00\x01", 7);
  expect_found_last({initial({}, last + ping_and_padding + middle + ack + first)}, Protocol::quic,
                    "a.test");
  expect_found_last({initial({}, last), initial({.number = 1}, first),
                     initial({.number = 0x0203}, first + middle)},
                    Protocol::quic, "a.test");
  // Coalesced with each other and with 0-RTT, a short header behind them.
  const std::string zero_rtt = long_head({}, 1, 0) + varint(30) + std::string(30, 'z');
  expect_found_last({zero_rtt, initial({}, last) + zero_rtt + initial({.number = 1}, middle),
                     initial({.number = 2}, first) + std::string(40, 'A')},
                    Protocol::quic, "a.test");
}

TEST(SniffQuic, VersionTwoIsReadAlike) {
  const std::string message = hello_message(server_name("a.test"));
  const Client client{.version = QuicVersion::v2};
  const std::string zero_rtt = long_head(client, 1, 0) + varint(30) + std::string(30, 'z');
  expect_found_last(
      {zero_rtt + initial(client, crypto_frame(700, std::string_view(message).substr(700))),
       initial(client, crypto_frame(0, std::string_view(message).substr(0, 700)))},
      Protocol::quic, "a.test");
}

TEST(SniffQuic, PacketsBehindTheServersAnswerKeepTheFirstKeys) {
  const std::string message = hello_message(server_name("a.test"));
  const std::string_view text = message;
  expect_found_last({initial({}, crypto_frame(0, text.substr(0, 500))),
                     initial({.dcid = "server's", .key_dcid = "firstdcid", .number = 1},
                             crypto_frame(500, text.substr(500)))},
                    Protocol::quic, "a.test");
}

TEST(SniffQuic, AfterRetryTheHelloBeginsAnew) {
  const std::string old = hello_message(server_name("old.test"));
  const std::string message = hello_message(server_name("new.test"));
  const std::string_view text = message;
  const Client retried{.dcid = "from retry", .token = std::string(90, 't'), .number = 1};
  expect_found_last({initial({}, crypto_frame(0, std::string_view(old).substr(0, 1000))),
                     initial(retried, crypto_frame(1000, text.substr(1000))),
                     initial(retried, crypto_frame(0, text.substr(0, 1000)))},
                    Protocol::quic, "new.test");
}

TEST(SniffQuic, HelloWithoutANameIsQuicAlone) {
  expect_found_last({initial({}, crypto_frame(0, hello_message("")))}, Protocol::quic, "");
}

TEST(SniffQuic, WhatIsNotAClientsQuicIsNothing) {
  const auto expect_nothing = [](const std::string& datagram) {
    Flow flow;
    EXPECT_EQ(flow.feed(datagram).verdict, Verdict::nothing);
  };
  const std::string hello = crypto_frame(0, hello_message(""));
  std::string draft = initial({}, hello);
  draft[1] = '\xff';
  expect_nothing(draft);
  expect_nothing(long_head({}, 3, 0) + std::string(40, 't'));  // Retry
  expect_nothing(initial({.key_dcid = "joined late"}, hello));
  expect_nothing(initial({}, crypto_frame(0, std::string(100, '\x02'))));  // a ServerHello
  expect_nothing(initial({}, number(0x08, 1) + hello));                    // a STREAM frame
  expect_nothing(initial({.dcid = std::string(21, 'd')}, hello));
  expect_nothing(initial({}, hello, kMaxInitial + 1));
  expect_nothing(std::string("\xc0\0\0\0\1", 5));
}

TEST(SniffQuic, FlowJoinedInTheMiddleIsNothingAtOnce) {
  const std::string handshake = long_head({}, 2, 0) + varint(30) + std::string(30, 'h');
  const std::string late = initial({.key_dcid = "joined late"}, crypto_frame(0, "x"));
  for (const std::string& datagram : {handshake, late + handshake}) {
    Flow flow;
    EXPECT_EQ(flow.feed(datagram).verdict, Verdict::nothing);
  }
  // Behind an Initial that was opened it is passed over.
  const std::string message = hello_message(server_name("a.test"));
  const std::string_view text = message;
  expect_found_last({initial({}, crypto_frame(0, text.substr(0, 500))) + handshake, handshake,
                     initial({.number = 1}, crypto_frame(500, text.substr(500)))},
                    Protocol::quic, "a.test");
}

TEST(SniffQuic, LargestInitialIsOpened) {
  expect_found_last(
      {initial({}, crypto_frame(0, hello_message(server_name("a.test"))), kMaxInitial)},
      Protocol::quic, "a.test");
}

TEST(SniffQuic, BoundsEndTheSearchWithWhatIsProven) {
  Flow flow;
  const std::string ping = initial({}, "\x01");
  for (unsigned i = 1; i < kMaxDatagrams; ++i) {
    const Answer answer = flow.feed(ping);
    ASSERT_EQ(answer.verdict, Verdict::needs_more);
    ASSERT_EQ(answer.protocol, Protocol::quic);
  }
  EXPECT_EQ(flow.feed(ping).verdict, Verdict::found);
  EXPECT_EQ(flow.feed("anything").protocol, Protocol::quic);

  const std::string huge = hello_message(extension(9, std::string(kMaxHello, 'x')));
  Flow long_hello;
  Answer answer;
  for (std::size_t at = 0; at < kMaxHello; at += 1024)
    answer =
        long_hello.feed(initial({}, crypto_frame(at, std::string_view(huge).substr(at, 1024))));
  EXPECT_EQ(answer.verdict, Verdict::found);
  EXPECT_TRUE(answer.host.empty());

  Flow never_opened;
  const std::string zero_rtt = long_head({}, 1, 0) + varint(30) + std::string(30, 'z');
  for (unsigned i = 1; i < kMaxDatagrams; ++i)
    ASSERT_EQ(never_opened.feed(zero_rtt).verdict, Verdict::needs_more);
  EXPECT_EQ(never_opened.feed(zero_rtt).verdict, Verdict::nothing);
}

}  // namespace
}  // namespace sluice::sniff
