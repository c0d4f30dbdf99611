#include "tests/unit/dataplane/sniff/flow.h"
#include "tests/unit/dataplane/sniff/hellos.h"

namespace sluice::sniff {
namespace {

using namespace test;

std::string fragment(std::string_view body, std::size_t offset, std::size_t size, int message = 0) {
  return number(1, 1) + number(body.size(), 3) + number(static_cast<std::uint64_t>(message), 2) +
         number(offset, 3) + sized(body.substr(offset, size), 3);
}
std::string record(std::string_view fragments) {
  return "\x16\xfe\xff" + number(0, 2) + number(7, 6) + sized(fragments, 2);
}
std::string body(std::string_view name) {
  return hello_body(extension(10, std::string(300, 'g')) + server_name(name), true);
}

TEST(SniffDtls, NameIsFoundInOneDatagram) {
  const std::string hello = body("A.test");
  expect_found_last({record(fragment(hello, 0, hello.size()))}, Protocol::dtls, "a.test");
  expect_found_last({record(fragment(hello_body("", true), 0, 500))}, Protocol::dtls, "");
}

TEST(SniffDtls, FragmentsMayComeInAnyOrderRecordAndDatagram) {
  const std::string hello = body("a.test");
  const std::string first = fragment(hello, 0, 100);
  const std::string middle = fragment(hello, 90, 200);
  const std::string last = fragment(hello, 250, hello.size());
  expect_found_last({record(first + middle + last)}, Protocol::dtls, "a.test");
  expect_found_last({record(last), record(first) + record(middle)}, Protocol::dtls, "a.test");
  expect_found_last({record(middle), record(middle), "another's", record(last), record(first)},
                    Protocol::dtls, "a.test");
}

TEST(SniffDtls, LaterFragmentOfAnotherSizeIsPassedOver) {
  const std::string hello = body("a.test");
  expect_found_last({record(fragment(hello, 0, 200)), record(fragment(hello + "x", 200, 300)),
                     record(fragment(hello, 200, 300))},
                    Protocol::dtls, "a.test");
}

TEST(SniffDtls, HelloWithTheCookieReplacesTheFirst) {
  const std::string old = body("old.test");
  const std::string hello = body("new.test");
  expect_found_last({record(fragment(old, 0, 200)), record(fragment(hello, 200, 500, 1)),
                     record(fragment(hello, 0, 200, 1))},
                    Protocol::dtls, "new.test");
}

TEST(SniffDtls, NoPrefixOfADatagramIsFound) {
  const std::string hello = body("a.test");
  const std::string wire = record(fragment(hello, 0, hello.size()));
  for (std::size_t cut = 0; cut < wire.size(); ++cut) {
    Flow flow;
    ASSERT_EQ(flow.feed(wire.substr(0, cut)).verdict, Verdict::nothing) << cut;
  }
}

TEST(SniffDtls, GarbledDatagramsAreNothing) {
  const std::string hello = body("a.test");
  const std::string good = record(fragment(hello, 0, hello.size()));
  const auto changed = [&](std::size_t at, char to) {
    std::string out = good;
    out[at] = to;
    Flow flow;
    EXPECT_EQ(flow.feed(out).verdict, Verdict::nothing) << at;
  };
  changed(0, 0x17);  // application data
  changed(1, 0x03);  // TLS
  changed(2, 0x00);
  changed(4, 0x01);   // a later epoch
  changed(13, 0x02);  // a ServerHello
  changed(16, 0x00);  // a body shorter than its fragment
  changed(21, 0x7f);  // a fragment past its body
  changed(25, 0x03);  // legacy_version
  Flow flow;          // one message has one size
  EXPECT_EQ(flow.feed(good + record(fragment(hello + "x", 0, 100))).verdict, Verdict::nothing);
}

TEST(SniffDtls, BoundsEndTheSearchWithWhatIsProven) {
  const std::string hello = body("a.test");
  Flow flow;
  for (unsigned i = 1; i < kMaxDatagrams; ++i) {
    const Answer answer = flow.feed(record(fragment(hello, 0, 100)));
    ASSERT_EQ(answer.verdict, Verdict::needs_more);
    ASSERT_EQ(answer.protocol, Protocol::dtls);
  }
  const Answer answer = flow.feed(record(fragment(hello, 0, 100)));
  EXPECT_EQ(answer.verdict, Verdict::found);
  EXPECT_TRUE(answer.host.empty());
}

}  // namespace
}  // namespace sluice::sniff
