#include "dataplane/protocol/http/head.h"

#include "dataplane/protocol/http/basic_auth.h"
#include "dataplane/protocol/http/target.h"
#include "tests/unit/dataplane/support/vectors.h"

namespace sluice::http {
namespace {

using namespace std::string_view_literals;

constexpr auto kRequest = "GET http://a.test/x HTTP/1.1\r\nHost: a.test\r\nX-Two:  b \t\r\n\r\n"sv;

TEST(HeadScanner, FindsTheBlankLineWhateverThePieces) {
  for (std::size_t piece = 1; piece <= kRequest.size(); ++piece) {
    HeadScanner scanner;
    std::size_t used = 0;
    const std::string text = std::string(kRequest) + "body";
    while (!scanner.done() && used < text.size()) {
      const auto size = scanner.take(std::string_view(text).substr(used, piece));
      ASSERT_TRUE(size);
      used += *size;
    }
    EXPECT_EQ(used, kRequest.size()) << piece;
  }
}

TEST(HeadScanner, EveryPrefixIsNotDone) {
  for (std::size_t cut = 0; cut < kRequest.size(); ++cut) {
    HeadScanner scanner;
    EXPECT_TRUE(scanner.take(kRequest.substr(0, cut)));
    EXPECT_FALSE(scanner.done()) << cut;
  }
}

TEST(HeadScanner, BareLineFeedsAndEmptyLinesInFrontAreTaken) {
  HeadScanner scanner;
  const auto text = "\r\n\nGET / HTTP/1.1\nA: b\n\nrest"sv;
  EXPECT_EQ(*scanner.take(text), text.size() - 4);
  EXPECT_TRUE(scanner.done());
}

// B070: 64 KB of header without an end; and one endless line.
TEST(HeadScanner, SizesAreBounded) {
  HeadScanner line;
  EXPECT_TRUE(line.take(std::string(kMaxLine, 'x')));
  EXPECT_EQ(line.take("x").error().code, Errc::too_large);
  HeadScanner whole;
  const std::string field = "X: " + std::string(1019, 'y') + "\r\n";
  Result<std::size_t> last = 0;
  std::size_t total = 0;
  for (; last && total < 2 * kMaxHead; total += field.size()) last = whole.take(field);
  ASSERT_FALSE(last);
  EXPECT_EQ(last.error().code, Errc::too_large);
  EXPECT_LE(total, kMaxHead + 2 * field.size());
}

TEST(RequestHead, GivesItsPartsAsViews) {
  const auto head = parse_request_head(kRequest);
  ASSERT_TRUE(head);
  EXPECT_EQ(head->method, "GET");
  EXPECT_EQ(head->target, "http://a.test/x");
  EXPECT_EQ(head->minor, 1);
  EXPECT_EQ(head->fields.find("host"), "a.test");
  EXPECT_EQ(head->fields.find("x-two"), "b");
  EXPECT_FALSE(head->fields.find("x-three"));
  EXPECT_EQ(parse_request_head("CONNECT a:1 HTTP/1.0\n\n")->minor, 0);
}

TEST(RequestHead, HostileOnesAreMalformed) {
  for (const auto text :
       {"GET /x\r\n\r\n"sv, "GET  /x HTTP/1.1\r\n\r\n"sv, "GET /a b HTTP/1.1\r\n\r\n"sv,
        "G\x01T /x HTTP/1.1\r\n\r\n"sv, " GET /x HTTP/1.1\r\n\r\n"sv,
        "GET /x HTTP/1.1\r\nHost : a\r\n\r\n"sv, "GET /x HTTP/1.1\r\n: a\r\n\r\n"sv,
        "GET /x HTTP/1.1\r\nA: b\r\n folded\r\n\r\n"sv, "GET /x HTTP/1.1\r\nnocolon\r\n\r\n"sv,
        "GET /x HTTP/1.1\r\nA: b\rc\r\n\r\n"sv, "GET /x HTTP/1.1\r\nA: \0\r\n\r\n"sv,
        "GET /x HTTP/11\r\n\r\n"sv, "GET /x http/1.1\r\n\r\n"sv, "\x16\x03\x01\r\n\r\n"sv,
        "GET /x HTTP/1.1\r\n\r\nmore\r\n\r\n"sv}) {
    const auto head = parse_request_head(text);
    ASSERT_FALSE(head) << text;
    EXPECT_EQ(head.error().code, Errc::malformed) << text;
  }
  EXPECT_EQ(parse_request_head("GET /x HTTP/2.0\r\n\r\n").error().code, Errc::unsupported);
  std::string many = "GET /x HTTP/1.1\r\n";
  for (std::size_t i = 0; i <= kMaxFields; ++i) many += "A: b\r\n";
  EXPECT_EQ(parse_request_head(many + "\r\n").error().code, Errc::too_large);
}

// Each option is compared with each field: thousands of them would hold a worker for milliseconds.
TEST(RequestHead, ConnectionOptionsAreBounded) {
  const auto parse = [](std::size_t lines) {
    std::string text = "GET http://a/ HTTP/1.1\r\n";
    for (std::size_t i = 0; i < lines; ++i) text += "Connection: " + std::string(500, 'x') + "\r\n";
    text += "\r\n";
    const auto head = parse_request_head(text);
    return head ? Errc::none : head.error().code;
  };
  EXPECT_EQ(parse(2), Errc::none);
  EXPECT_EQ(parse(3), Errc::too_large);
}

TEST(ResponseHead, StatusLineWithAndWithoutAReason) {
  const auto head = parse_response_head("HTTP/1.0 404 Not Found\r\nA: b\r\n\r\n");
  ASSERT_TRUE(head);
  EXPECT_EQ(head->status, 404);
  EXPECT_EQ(head->reason, "Not Found");
  EXPECT_EQ(head->minor, 0);
  EXPECT_EQ(parse_response_head("HTTP/1.1 200\r\n\r\n")->reason, "");
  EXPECT_EQ(parse_response_head("HTTP/1.1 200 \r\n\r\n")->reason, "");
  for (const auto text : {"HTTP/1.1 99 x\r\n\r\n"sv, "HTTP/1.1 2000 x\r\n\r\n"sv,
                          "HTTP/1.1 2x0 x\r\n\r\n"sv, "200 OK\r\n\r\n"sv, "HTTP/1.1\r\n\r\n"sv})
    EXPECT_EQ(parse_response_head(text).error().code, Errc::malformed) << text;
}

TEST(Fields, TokensOfListsAreFoundInAnyField) {
  const auto head = parse_request_head(
      "GET / HTTP/1.1\r\nConnection: keep-alive, X-Hop\r\nConnection: , Upgrade\r\n\r\n");
  ASSERT_TRUE(head);
  EXPECT_TRUE(head->fields.has_token("connection", "x-hop"));
  EXPECT_TRUE(head->fields.has_token("Connection", "upgrade"));
  EXPECT_FALSE(head->fields.has_token("Connection", "X"));
}

TEST(Target, AuthorityFormNeedsAPort) {
  EXPECT_EQ(parse_authority("example.com:443")->to_string(), "example.com:443");
  EXPECT_EQ(parse_authority("[2001:db8::1]:443")->ip, *IpAddress::parse("2001:db8::1"));
  for (const char* bad : {":0", "example.com", "example.com:", "a:0", "a:65536", "[::1]", "a b:1"})
    EXPECT_FALSE(parse_authority(bad)) << bad;
}

TEST(Target, AbsoluteFormGivesPlaceHostAndPath) {
  const auto full = parse_absolute("GET", "http://Example.com:80/a?b=c#d");
  ASSERT_TRUE(full);
  EXPECT_EQ(full->to.to_string(), "example.com:80");
  EXPECT_EQ(full->host, "Example.com");
  EXPECT_EQ(full->path, "/a?b=c");
  EXPECT_EQ(parse_absolute("GET", "HTTP://a.test:8080?q")->host, "a.test:8080");
  EXPECT_EQ(parse_absolute("GET", "http://a.test:8080?q")->path, "/?q");
  EXPECT_EQ(parse_absolute("GET", "http://a.test:")->to.port, 80);
  EXPECT_EQ(parse_absolute("GET", "http://[::1]:8080/")->host, "[::1]:8080");
  EXPECT_EQ(parse_absolute("GET", "http://[::1]/")->host, "[::1]");
  EXPECT_EQ(parse_absolute("OPTIONS", "http://a.test")->path, "*");
  EXPECT_EQ(parse_absolute("GET", "http://a.test")->path, "/");
}

// B070: empty URL and origin form.
TEST(Target, OtherFormsAreRefused) {
  EXPECT_EQ(parse_absolute("GET", "http://").error().code, Errc::malformed);
  EXPECT_EQ(parse_absolute("GET", "http://user@a.test/").error().code, Errc::malformed);
  EXPECT_EQ(parse_absolute("GET", "http://a.test:0/").error().code, Errc::malformed);
  EXPECT_EQ(parse_absolute("GET", "/path").error().code, Errc::unsupported);
  EXPECT_EQ(parse_absolute("GET", "https://a.test/").error().code, Errc::unsupported);
}

TEST(BasicAuth, RoundTripsAndSplitsAtTheFirstColon) {
  const test::Vectors known("socks_http.txt");
  EXPECT_EQ(format_basic("user", "pass"), test::text_of(known.bytes("http.basic_user_pass")));
  for (const auto password : {"p"sv, "p:w"sv, "p\xc3\xa4ss"sv, ""sv}) {
    const auto back = parse_basic(format_basic("u", password));
    ASSERT_TRUE(back);
    EXPECT_EQ(back->user, "u");
    EXPECT_EQ(back->password, password);
  }
  EXPECT_TRUE(parse_basic("bAsIc dXNlcjpwYXNz"));
  EXPECT_EQ(parse_basic("Digest x").error().code, Errc::unsupported);
  for (const char* bad : {"Basic", "Basic *", "Basic dXNlcg==", "Basic A"})
    EXPECT_EQ(parse_basic(bad).error().code, Errc::malformed) << bad;
}

}  // namespace
}  // namespace sluice::http
