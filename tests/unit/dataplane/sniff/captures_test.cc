// What real clients sent, tests/golden/sniff: its README says which.
#include <fstream>
#include <iterator>

#include "tests/unit/dataplane/sniff/answers.h"
#include "tests/unit/dataplane/sniff/flow.h"

namespace sluice::sniff {
namespace {

using namespace test;

std::string read_capture(const std::string& name) {
  std::ifstream in(std::string(SLUICE_GOLDEN) + "/sniff/" + name, std::ios::binary);
  EXPECT_TRUE(in.is_open()) << name;
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

/// Each datagram behind its size, two bytes.
std::vector<std::string> read_datagrams(const std::string& name) {
  const std::string bytes = read_capture(name);
  std::vector<std::string> out;
  for (Reader in{as_byte_view(bytes)}; in.left() > 0 && !in.short_read();)
    out.emplace_back(as_text(in.take(in.u16be())));
  return out;
}

struct Known {
  const char* file;
  Protocol protocol;
  const char* host;
};

TEST(Captures, StreamsOfRealClients) {
  for (const Known& known : {Known{"tls-curl", Protocol::tls, "capture.test"},
                             Known{"tls-chromium", Protocol::tls, "capture.test"},
                             Known{"tls-openssl", Protocol::tls, "capture.test"},
                             Known{"tls-openssl-no-name", Protocol::tls, ""},
                             Known{"tls-openssl-records", Protocol::tls, "capture.test"},
                             Known{"http1-curl", Protocol::http, "capture.test"},
                             Known{"http1-curl-proxy", Protocol::http, "capture.test"},
                             Known{"http1-curl-connect", Protocol::http, ""},
                             Known{"h2c-curl", Protocol::http, "capture.test"},
                             Known{"bittorrent-libtorrent", Protocol::bittorrent, ""}}) {
    SCOPED_TRACE(known.file);
    expect_found(read_capture(known.file), known.protocol, known.host);
  }
}

TEST(Captures, DatagramsOfRealClients) {
  for (const Known& known :
       {Known{"quic-aioquic-v1", Protocol::quic, "capture.test"},
        Known{"quic-aioquic-v2", Protocol::quic, "capture.test"},
        Known{"dtls-openssl", Protocol::dtls, "capture.test"},
        Known{"stun-aioice", Protocol::stun, ""}, Known{"utp-libtorrent", Protocol::bittorrent, ""},
        Known{"dht-libtorrent", Protocol::bittorrent, ""},
        Known{"tracker-libtorrent", Protocol::bittorrent, ""}}) {
    SCOPED_TRACE(known.file);
    const auto datagrams = read_datagrams(known.file);
    ASSERT_EQ(datagrams.size(), 1U);
    expect_found_last(datagrams, known.protocol, known.host);
  }
}

TEST(Captures, ClientThatWasSentRetryIsFoundBeforeAndAfterIt) {
  const auto datagrams = read_datagrams("quic-aioquic-retry");
  ASSERT_GE(datagrams.size(), 2U);
  expect_found_last({datagrams[0]}, Protocol::quic, "capture.test");
  expect_found_last({datagrams[1]}, Protocol::quic, "capture.test");
}

TEST(Captures, HelloOfSeveralDatagramsIsFoundInAnyOrder) {
  for (const Known& known : {Known{"quic-aioquic-large", Protocol::quic, "capture.test"},
                             Known{"quic-chromium", Protocol::quic, "capture.test"},
                             Known{"dtls-openssl-fragments", Protocol::dtls, "capture.test"}}) {
    SCOPED_TRACE(known.file);
    auto datagrams = read_datagrams(known.file);
    ASSERT_GE(datagrams.size(), 2U);
    Flow backwards;
    for (std::size_t i = datagrams.size(); --i > 0;)
      EXPECT_EQ(backwards.feed(datagrams[i]).verdict, Verdict::needs_more);
    const Answer answer = backwards.feed(datagrams[0]);
    EXPECT_EQ(answer.verdict, Verdict::found);
    EXPECT_EQ(answer.protocol, known.protocol);
    EXPECT_EQ(answer.host.text(), known.host);
  }
}

}  // namespace
}  // namespace sluice::sniff
