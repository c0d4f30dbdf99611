#include "dataplane/protocol/http/forward.h"

#include "dataplane/protocol/http/reply.h"
#include "tests/unit/dataplane/support/vectors.h"

namespace sluice::http {
namespace {

const test::Vectors& known() {
  static const test::Vectors vectors("socks_http.txt");
  return vectors;
}

std::string forwarded(const std::string& text) {
  const auto head = parse_request_head(text);
  EXPECT_TRUE(head);
  const auto target = parse_absolute(head->method, head->target);
  EXPECT_TRUE(target);
  return forward_request(*head, *target, *request_body(*head));
}

TEST(Forward, AbsoluteFormBecomesOriginFormAsKnown) {
  EXPECT_EQ(forwarded(test::text_of(known().bytes("http.absolute_form_in"))),
            test::text_of(known().bytes("http.origin_form_out")));
}

// B074: the authority of the request line wins over the Host field.
TEST(Forward, B074HostIsTheAuthorityOfTheRequestLine) {
  EXPECT_EQ(forwarded("GET http://127.0.0.1:18080/ HTTP/1.1\r\nHost: other.test\r\n\r\n"),
            "GET / HTTP/1.1\r\nHost: 127.0.0.1:18080\r\n\r\n");
}

TEST(Forward, FramingIsRewrittenAndCredentialsStayHere) {
  EXPECT_EQ(forwarded("POST http://a.test/ HTTP/1.1\r\nProxy-Authorization: Basic x\r\n"
                      "Content-Length: 3\r\nTransfer-Encoding: chunked\r\nTE: trailers\r\n"
                      "Trailer: A\r\nKeep-Alive: 5\r\n\r\n"),
            "POST / HTTP/1.1\r\nHost: a.test\r\nTransfer-Encoding: chunked\r\n\r\n");
  EXPECT_EQ(forwarded("POST http://a.test/ HTTP/1.1\r\nContent-Length: 3\r\nContent-Length: 3\r\n"
                      "Connection: Content-Length\r\n\r\n"),
            "POST / HTTP/1.1\r\nHost: a.test\r\nContent-Length: 3\r\n\r\n");
}

TEST(Forward, UpgradeIsPassedOn) {
  EXPECT_EQ(
      forwarded("GET http://a.test/ws HTTP/1.1\r\nConnection: Upgrade\r\n"
                "Upgrade: websocket\r\nProxy-Connection: keep-alive\r\n\r\n"),
      "GET /ws HTTP/1.1\r\nHost: a.test\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n");
}

TEST(Forward, ResponsesLoseHopFieldsAndSayWhetherTheyClose) {
  const auto head = parse_response_head(
      "HTTP/1.0 200 OK\r\nConnection: X-Hop\r\nX-Hop: 1\r\nProxy-Authenticate: Basic\r\n"
      "Content-Length: 3\r\nSet-Cookie: a\r\nSet-Cookie: b\r\n\r\n");
  ASSERT_TRUE(head);
  ResponseOptions options;
  options.body = BodyKind::length;
  options.close = true;
  EXPECT_EQ(forward_response(*head, options),
            "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nSet-Cookie: a\r\nSet-Cookie: b\r\n"
            "Connection: close\r\n\r\n");
}

TEST(Forward, PersistenceFollowsVersionAndFields) {
  const auto keeps = [](const std::string& text) { return keeps_alive(*parse_request_head(text)); };
  EXPECT_TRUE(keeps("GET / HTTP/1.1\r\n\r\n"));
  EXPECT_FALSE(keeps("GET / HTTP/1.1\r\nConnection: close\r\n\r\n"));
  EXPECT_FALSE(keeps("GET / HTTP/1.1\r\nProxy-Connection: Close\r\n\r\n"));
  EXPECT_FALSE(keeps("GET / HTTP/1.0\r\n\r\n"));
  EXPECT_TRUE(keeps("GET / HTTP/1.0\r\nProxy-Connection: keep-alive\r\n\r\n"));
}

TEST(Reply, AskingForCredentialsIsAsKnown) {
  EXPECT_EQ(format_reply({.status = 407, .minor = 1, .close = false, .with_body = false}),
            test::text_of(known().bytes("http.auth_required")));
}

TEST(Reply, StatusTellsWhy) {
  EXPECT_EQ(status_for(Error{Errc::denied}), 403);
  EXPECT_EQ(status_for(Error{Errc::timeout}), 504);
  EXPECT_EQ(status_for(Error{Errc::refused}), 502);
  EXPECT_EQ(status_for(Error{Errc::no_room}), 503) << "try later: the origin is not to blame";
  EXPECT_EQ(status_for(Error{Errc::no_descriptors}), 503);
  EXPECT_EQ(reason_of(503), "503 Service Unavailable");
}

}  // namespace
}  // namespace sluice::http
