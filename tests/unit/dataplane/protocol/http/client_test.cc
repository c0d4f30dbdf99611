#include "dataplane/protocol/http/client.h"

#include "tests/unit/dataplane/support/end_fixture.h"
#include "tests/unit/dataplane/support/vectors.h"

namespace sluice::http {
namespace {

using namespace std::string_view_literals;

class HttpClient : public test::EndFixture {
 protected:
  Status connect(std::string_view said, ClientOptions credentials = {}) {
    auto [end, peer] = make_pair();
    say(peer, said);
    ::shutdown(peer.get(), SHUT_WR);
    const auto to = *Destination::from_host("example.com", 443);
    const Status status = run(connect_through(*end, to, credentials, soon()));
    asked = hear(peer);
    SliceQueue rest;
    if (status && end->read(rest, 1000)) tunnel = test::text_of(rest);
    return status;
  }
  std::string asked;
  std::string tunnel;
};

TEST_F(HttpClient, AsksAsKnownAndKeepsWhatFollowsTheHead) {
  const test::Vectors known("socks_http.txt");
  const std::string answer = test::text_of(known.bytes("http.connect_response"));
  ASSERT_TRUE(connect(answer + "\x16\x03\x01", {"user", "pass"}));
  EXPECT_EQ(asked, test::text_of(known.bytes("http.connect_request")));
  EXPECT_EQ(tunnel, "\x16\x03\x01");
}

TEST_F(HttpClient, LengthsOfAGoodAnswerMeanNothing) {
  ASSERT_TRUE(connect("HTTP/1.0 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: x\r\n\r\nhello"));
  EXPECT_EQ(tunnel, "hello");
  ASSERT_TRUE(connect("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200\r\n\r\nx"));
  EXPECT_EQ(tunnel, "x");
}

TEST_F(HttpClient, RefusalsCarryTheStatus) {
  EXPECT_EQ(connect("HTTP/1.1 407 no\r\n\r\n").error(),
            (Error{Errc::auth_failed, Side::upstream, 407, 0}));
  EXPECT_EQ(connect("HTTP/1.1 502 no\r\n\r\n").error(),
            (Error{Errc::refused, Side::upstream, 502, 0}));
  EXPECT_EQ(connect("SSH-2.0-x\r\n\r\n").error(), (Error{Errc::malformed, Side::upstream}));
  EXPECT_EQ(connect("HTTP/1.1 200 OK\r\n").error().code, Errc::closed);
  EXPECT_EQ(connect("HTTP/1.1 200 OK\r\nA: " + std::string(10000, 'x')).error().code,
            Errc::too_large);
}

TEST_F(HttpClient, WaitsForSlicesUntilTheDeadline) {
  keep_slices(0);
  loop->spawn(give_slices_later());
  ASSERT_TRUE(connect("HTTP/1.1 200 OK\r\n\r\nx"));
  EXPECT_EQ(tunnel, "x");
  keep_slices(0);
  auto [end, peer] = make_pair();
  const auto to = *Destination::from_host("example.com", 443);
  EXPECT_EQ(run(connect_through(*end, to, {}, loop->now() + 30_ms)).error().code, Errc::no_room);
  give_slices();
}

}  // namespace
}  // namespace sluice::http
