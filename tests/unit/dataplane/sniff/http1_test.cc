#include "tests/unit/dataplane/sniff/answers.h"

namespace sluice::sniff {
namespace {

using namespace test;

void expect_host(const std::string& wire, std::string_view host) {
  SCOPED_TRACE(wire.substr(0, 60));
  expect_found(wire, Protocol::http, host);
}

TEST(SniffHttp1, HostFieldNamesTheServer) {
  expect_host("GET / HTTP/1.1\r\nHost: Example.ORG\r\nAccept: */*\r\n\r\n", "example.org");
  expect_host("POST /x?y=z HTTP/1.1\r\nAccept: */*\r\nhOsT:\texample.org:8080 \r\n\r\n",
              "example.org");
  expect_host("GET / HTTP/1.0\nHost: lf.only.test.\n\n", "lf.only.test");
  expect_host("VERSION-CONTROL / HTTP/1.1\r\nX: a\r\n b\r\nHost: folded.test\r\n\r\n",
              "folded.test");
}

TEST(SniffHttp1, EmptyLinesBeforeARequestAreSteppedOver) {
  const std::string request = "GET / HTTP/1.1\r\nHost: a.test\r\n\r\n";
  std::string most;
  for (std::size_t i = 0; i < kMaxEmptyLines; ++i) {
    most += "\r\n";
    expect_host(most + request, "a.test");
  }
  expect_host("\n" + request, "a.test");
  expect_nothing(most + "\r");
  expect_nothing(most + "\n");
  expect_nothing("\r\r");
  expect_nothing("\rGET");
}

TEST(SniffHttp1, AbsoluteFormGoesBeforeHost) {
  expect_host("GET http://user@Target.test:81/p?q HTTP/1.1\r\nHost: other.test\r\n\r\n",
              "target.test");
  expect_host("GET http://target.test?q HTTP/1.1\r\n\r\n", "target.test");
  // A URL inside a path is no absolute form.
  expect_host("GET /?u=http://inner.test/ HTTP/1.1\r\nHost: outer.test\r\n\r\n", "outer.test");
}

TEST(SniffHttp1, RequestWithoutAUsableNameIsHttpAlone) {
  expect_host("CONNECT example.org:443 HTTP/1.1\r\nHost: example.org:443\r\n\r\n", "");
  expect_host("GET / HTTP/1.0\r\n\r\n", "");
  expect_host("GET / HTTP/1.1\r\nHost: 192.0.2.1:8080\r\n\r\n", "");
  expect_host("GET / HTTP/1.1\r\nHost: [2001:db8::1]:8080\r\n\r\n", "");
  expect_host("GET / HTTP/1.1\r\nHost:\r\n\r\n", "");
  expect_host("GET / HTTP/1.1\r\nHost: a.test:port\r\n\r\n", "");
  expect_host("GET http://192.0.2.1/ HTTP/1.1\r\nHost: other.test\r\n\r\n", "");
}

TEST(SniffHttp1, OtherProtocolsOfLinesAreNothing) {
  expect_nothing("EHLO client.test\r\n");
  expect_nothing("SSH-2.0-OpenSSH_9.2p1\r\n");
  expect_nothing("GET /\r\n");  // HTTP/0.9
  expect_nothing("GET / HTTP/2.0\r\n");
  expect_nothing("GET / HTTP/1.x\r\n");
  expect_nothing("GET  / HTTP/1.1\r\n");
  expect_nothing("GET / x HTTP/1.1\r\n");
  expect_nothing(" GET / HTTP/1.1\r\n");
  expect_nothing("GET / HTTP/1.1\r\nno field\r\n");
  expect_nothing("GET / HTTP/1.1\r\n: value\r\n");
}

TEST(SniffHttp1, WhatCannotBecomeARequestIsTurnedAwayBeforeItsLineEnds) {
  expect_nothing(std::string(kMaxMethod + 1, 'A'));
  expect_nothing("GE(");
  expect_nothing(std::string_view("GET \0", 5));
  expect_nothing("\x05\x01");
  EXPECT_EQ(sniffed(std::string(kMaxMethod, 'A')).verdict, Verdict::needs_more);
}

TEST(SniffHttp1, NamesOfFieldsAreTokensOfBoundedLength) {
  const std::string line = "GET / HTTP/1.1\r\n";
  expect_host(line + "!#$%&'*+-.^_`|~09azAZ: x\r\nHost: a.test\r\n", "a.test");
  expect_host(line + std::string(kMaxFieldName, 'n') + ": x\r\nHost: a.test\r\n", "a.test");
  expect_nothing(line + std::string(kMaxFieldName + 1, 'n') + ": x\r\n");
  for (const char c : std::string_view("\"(),/;<=>?@[\\]{}\x7f\x80 "))
    expect_nothing(line + "a" + c + "b: x\r\n");
}

TEST(SniffHttp1, BoundsEndTheSearch) {
  const std::string line = "GET / HTTP/1.1\r\n";
  std::string many = line;
  for (std::size_t i = 0; i < kMaxFields; ++i) many += "a: b\r\n";
  EXPECT_TRUE(sniffed(many + "Host: late.test\r\n").host.empty());
  EXPECT_EQ(sniffed(many).verdict, Verdict::found);
  const std::string longest = line + "Cookie: " + std::string(kMaxHttp, 'c');
  EXPECT_EQ(sniffed(longest.substr(0, kMaxHttp - 1)).verdict, Verdict::needs_more);
  EXPECT_EQ(sniffed(longest.substr(0, kMaxHttp)).verdict, Verdict::found);
  expect_nothing("GET /" + std::string(kMaxHttp, 'x'));
}

}  // namespace
}  // namespace sluice::sniff
