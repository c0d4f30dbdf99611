#include "tests/unit/dataplane/sniff/answers.h"
#include "tests/unit/dataplane/sniff/hellos.h"

namespace sluice::sniff {
namespace {

using namespace test;

TEST(SniffTls, NameIsFoundAtEveryPlaceARecordMayBeCut) {
  const std::string message = hello_message(server_name("WWW.Example.org") + extension(21, "pad"));
  expect_found(records(message), Protocol::tls, "www.example.org");
  for (const std::size_t most : {6U, 7U, 50U, 1000U})
    expect_found(records(message, most), Protocol::tls, "www.example.org");
}

TEST(SniffTls, EachFieldMayLieAcrossTwoRecords) {
  const std::string message = hello_message(server_name("example.org"));
  for (std::size_t cut = 1; cut < message.size(); ++cut) {
    const Answer answer =
        sniffed(records(message.substr(0, cut)) + records(std::string_view(message).substr(cut)));
    ASSERT_EQ(answer.verdict, Verdict::found) << cut;
    ASSERT_EQ(answer.host.text(), "example.org") << cut;
  }
}

TEST(SniffTls, NameIsFoundBeforeTheHelloIsWhole) {
  const std::string message = hello_message(server_name("early.test") + ech());
  const std::string wire = records(message);
  const std::size_t name_end = wire.find("early.test") + 10;
  EXPECT_EQ(sniffed(wire.substr(0, name_end)).host.text(), "early.test");
  EXPECT_EQ(sniffed(wire.substr(0, name_end - 1)).verdict, Verdict::needs_more);
}

TEST(SniffTls, EchGivesTheOuterName) {
  expect_found(records(hello_message(ech() + server_name("public.test"))), Protocol::tls,
               "public.test");
}

TEST(SniffTls, HelloWithoutAUsableNameIsTlsAlone) {
  for (const std::string& more :
       {std::string(), server_name("192.0.2.1"), server_name("2001:db8::1"), server_name("a b"),
        server_name(std::string(254, 'a')), server_name(std::string(300, 'a')), extension(0, ""),
        extension(0, sized(number(7, 1) + sized("other", 2), 2)), ech()})
    expect_found(records(hello_message(more)), Protocol::tls, "");
}

TEST(SniffTls, OtherNameTypesAreSteppedOver) {
  const std::string list = number(7, 1) + sized("other", 2) + number(0, 1) + sized("real.test.", 2);
  expect_found(records(hello_message(extension(0, sized(list, 2)))), Protocol::tls, "real.test");
}

TEST(SniffTls, HelloOfOldClientsMayHaveNoExtensions) {
  std::string body = hello_body("");
  body.resize(body.size() - 2);
  expect_found(records(number(1, 1) + sized(body, 3)), Protocol::tls, "");
}

TEST(SniffTls, SaysHowManyBytesAreEnough) {
  const std::string wire = records(hello_message(server_name("example.org")));
  for (std::size_t cut = 9; cut + 20 < wire.size(); ++cut) {
    const Answer answer = sniffed(wire.substr(0, cut));
    ASSERT_EQ(answer.verdict, Verdict::needs_more);
    ASSERT_EQ(answer.protocol, Protocol::tls);
    ASSERT_EQ(answer.enough, wire.size()) << cut;
  }
  EXPECT_EQ(sniffed(wire.substr(0, 8)).enough, kMaxStream);
  // Behind the fixed parts only the extensions' heads are waited for.
  EXPECT_EQ(sniffed(wire.substr(0, 200)).wants, wire.find("kkk") + 1222);
}

TEST(SniffTls, GarbledHellosAreNothing) {
  const std::string good = records(hello_message(server_name("example.org")));
  const auto changed = [&](std::size_t at, char to) {
    std::string out = good;
    out[at] = to;
    return out;
  };
  expect_nothing(changed(0, 0x17));  // application data
  expect_nothing(changed(1, 0x02));  // no version of TLS
  expect_nothing(changed(2, 0x05));
  expect_nothing(changed(5, 0x02));   // a ServerHello
  expect_nothing(changed(9, 0x02));   // legacy_version
  expect_nothing(changed(43, 33));    // session id
  expect_nothing(changed(77, 0x05));  // cipher suites of odd size
  expect_nothing(changed(84, 0x00));  // no compression method
  expect_nothing(changed(86, 0x01));  // extensions that do not fill the body
  expect_nothing(changed(4, 0x00).substr(0, 3) + std::string(2, '\0') + good.substr(5));
  expect_nothing(changed(76, 0x7f));  // cipher suites past the end
  expect_nothing(changed(84, 0x7f));  // compression methods into the extensions
  const std::size_t list = good.find("example.org") - 5;
  expect_nothing(changed(list + 1, 0x01));  // list and extension differ
  expect_nothing(changed(list + 4, 0x7f));  // the name is longer than its list
  expect_nothing(changed(list - 1, 0x7f));  // the extension is longer than the hello
}

TEST(SniffTls, AnotherTypeOfRecordInsideAHelloIsNothing) {
  std::string wire = records(hello_message(server_name("example.org")), 1000);
  wire[1005] = 0x15;
  expect_nothing(wire);
}

TEST(SniffTls, BoundsEndTheSearchWithWhatIsProven) {
  // A name behind the last byte that is looked at: the records' heads push it there.
  const std::string extensions = extension(9, std::string(65'400, 'x')) + server_name("late.test");
  const std::string wire = records(number(1, 1) + sized(hello_body(extensions), 3), 1000);
  ASSERT_GT(wire.size(), kMaxStream);
  const Answer before = sniffed(std::string_view(wire).substr(0, kMaxStream - 1));
  EXPECT_EQ(before.verdict, Verdict::needs_more);
  EXPECT_EQ(before.wants, kMaxStream);
  EXPECT_EQ(before.enough, kMaxStream);
  for (const std::size_t size : {kMaxStream, wire.size()}) {
    const Answer after = sniffed(std::string_view(wire).substr(0, size));
    EXPECT_EQ(after.verdict, Verdict::found);
    EXPECT_EQ(after.protocol, Protocol::tls);
    EXPECT_TRUE(after.host.empty());
  }
  // A length that no hello can have proves nothing.
  expect_nothing("\x16\x03\x01\x40" + number(0, 1) + "\x01\x01" + number(1, 2));
}

TEST(SniffTls, TooManyRecordsOrExtensionsTakeOnlyTheName) {
  const std::string message = hello_message(server_name("example.org"));
  EXPECT_EQ(sniffed(records(message, message.size() / kMaxPieces + 1)).verdict, Verdict::found);
  expect_found(records(message, 1), Protocol::tls, "");
  std::string many;
  for (std::size_t i = 0; i < kMaxFields; ++i) many += extension(0x0a0a, "");
  expect_found(records(hello_message(many + server_name("example.org"))), Protocol::tls, "");
}

}  // namespace
}  // namespace sluice::sniff
