#include "tests/unit/dataplane/sniff/answers.h"

namespace sluice::sniff {
namespace {

using namespace test;

TEST(SniffStream, NoBytesAskForOne) {
  const Answer answer = sniffed("");
  EXPECT_EQ(answer.verdict, Verdict::needs_more);
  EXPECT_EQ(answer.protocol, Protocol::none);
  EXPECT_EQ(answer.wants, 1U);
  EXPECT_EQ(answer.enough, kMaxStream);
}

TEST(SniffStream, StartThatFitsTwoProtocolsTakesTheEarlierLook) {
  const Answer answer = sniffed("PRI");  // a token, and the preface of HTTP/2
  EXPECT_EQ(answer.verdict, Verdict::needs_more);
  EXPECT_EQ(answer.wants, 4U);
  EXPECT_EQ(answer.enough, kMaxHttp);
}

TEST(SniffStream, UnknownProtocolsAreTurnedAwayWithTheirFirstByte) {
  for (int byte = 0; byte < 256; ++byte) {
    const char c = static_cast<char>(byte);
    const bool starts_one =
        c == 0x16 || c == 0x13 || c == '\r' || c == '\n' ||
        (byte > 0x20 && byte < 0x7f &&
         std::string_view("\"(),/:;<=>?@[\\]{}").find(c) == std::string_view::npos);
    EXPECT_EQ(sniffed({&c, 1}).verdict, starts_one ? Verdict::needs_more : Verdict::nothing)
        << byte;
  }
}

TEST(SniffStream, ProtocolsHaveTheNamesOfRules) {
  EXPECT_EQ(protocol_name(Protocol::tls), "tls");
  EXPECT_EQ(protocol_name(Protocol::http), "http");
  EXPECT_EQ(protocol_name(Protocol::quic), "quic");
  EXPECT_EQ(protocol_name(Protocol::dtls), "dtls");
  EXPECT_EQ(protocol_name(Protocol::stun), "stun");
  EXPECT_EQ(protocol_name(Protocol::bittorrent), "bittorrent");
  EXPECT_EQ(protocol_name(Protocol::none), "");
}

}  // namespace
}  // namespace sluice::sniff
