#include "tests/unit/dataplane/sniff/answers.h"
#include "tests/unit/dataplane/sniff/hellos.h"
#include "tests/unit/dataplane/support/vectors.h"

namespace sluice::sniff {
namespace {

using namespace test;

const std::string kPreface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

std::string frame(int type, int flags, int stream, std::string_view payload) {
  return number(payload.size(), 3) + number(static_cast<std::uint64_t>(type), 1) +
         number(static_cast<std::uint64_t>(flags), 1) +
         number(static_cast<std::uint64_t>(stream), 4) + std::string(payload);
}
std::string opening() {
  return kPreface + frame(4, 0, 0, std::string(6, '\0')) + frame(8, 0, 0, number(1 << 20, 4));
}
std::string request(std::string_view block) {
  return opening() + frame(1, 5, 1, block);
}
std::string huffman(std::string_view hex) {
  const auto bytes = sluice::test::from_hex(hex);
  return number(0x80 | bytes.size(), 1) + std::string(as_text(bytes));
}
/// A literal field without indexing whose name is new.
std::string field(std::string_view name, std::string_view value) {
  return number(0, 1) + sized(name, 1) + sized(value, 1);
}
const std::string kGet = "\x82\x86\x84";  // :method GET, :scheme http, :path /

// RFC 7541 appendix C.3.1 and C.4.1.
TEST(SniffH2c, AuthorityIsReadPlainAndHuffmanCoded) {
  expect_found(request(kGet + "\x41" + sized("www.example.com", 1)), Protocol::http,
               "www.example.com");
  expect_found(request(kGet + "\x41" + huffman("f1e3c2e5f23a6ba0ab90f4ff")), Protocol::http,
               "www.example.com");
}

TEST(SniffH2c, EveryWayToWriteTheField) {
  for (const std::string& one :
       {"\x01" + sized("a.test:8080", 1), "\x11" + sized("A.test", 1),
        field(":authority", "a.test"), "\x40" + sized(":authority", 1) + sized("a.test", 1),
        number(0x10, 1) + sized(":authority", 1) + sized("u@a.test", 1),
        std::string("\x3f\xe1\x1f") + field(":authority", "a.test")})
    expect_found(request(one + kGet + field("accept", "*/*")), Protocol::http, "a.test");
}

TEST(SniffH2c, HostStandsInForAMissingAuthority) {
  expect_found(request(kGet + field("host", "a.test")), Protocol::http, "a.test");
  expect_found(request(kGet + field("x", std::string(100, 'y')) + "\x66" + sized("a.test", 1)),
               Protocol::http, "a.test");
  expect_found(request(kGet + field(":authority", "a.test") + field("host", "b.test")),
               Protocol::http, "a.test");
  expect_found(request(kGet + field(":authority", "192.0.2.1") + field("host", "b.test")),
               Protocol::http, "");
}

TEST(SniffH2c, OfSeveralFieldsTheFirstCounts) {
  expect_found(request(field(":authority", "a.test") + field(":authority", "b.test") + kGet),
               Protocol::http, "a.test");
  expect_found(request(kGet + field("host", "a.test") + field("host", "b.test")), Protocol::http,
               "a.test");
  expect_found(request(kGet + field("host", "a.test") + field(":authority", "b.test")),
               Protocol::http, "b.test");
}

TEST(SniffH2c, IndexPastTheStaticTableNamesWhatWasSeen) {
  // The third field repeats the first by its new index.
  expect_found(request("\x40" + sized("x", 1) + sized("y", 1) + kGet + "\xbe" +
                       field(":authority", "a.test")),
               Protocol::http, "a.test");
}

TEST(SniffH2c, TunnelsNameNobodyUnlessTheyNameAProtocol) {
  const std::string connect = "\x02" + sized("CONNECT", 1);
  expect_found(request(connect + field(":authority", "a.test:443")), Protocol::http, "");
  expect_found(request(field(":authority", "a.test:443") + connect), Protocol::http, "");
  expect_found(request(connect + field(":protocol", "websocket") + field(":authority", "a.test")),
               Protocol::http, "a.test");
}

TEST(SniffH2c, BlockMayLieInSeveralFramesWithPaddingAndPriority) {
  const std::string block = kGet + field(":authority", "a.test") + field("x", "y");
  for (std::size_t cut = 0; cut <= block.size(); ++cut) {
    const std::string first = block.substr(0, cut);
    const std::string second = block.substr(cut);
    const std::string wire = opening() + frame(2, 0, 3, "prio!") +
                             frame(1, 0x29, 1,
                                   "\x04"
                                   "prio!" +
                                       first + "pads") +
                             frame(9, 0, 1, "") + frame(9, 4, 1, second);
    expect_found(wire, Protocol::http, "a.test");
  }
}

TEST(SniffH2c, GarbledConnectionsAreNothing) {
  const std::string authority = field(":authority", "a.test");
  expect_nothing("PRI * HTTP/2.0\r\n\r\nSM\r\n\rx");
  expect_nothing(kPreface + frame(1, 5, 1, kGet + authority));  // no SETTINGS
  expect_nothing(kPreface + frame(4, 1, 0, ""));                // their acknowledgement
  expect_nothing(opening() + frame(0, 0, 1, "data"));
  expect_nothing(opening() + frame(1, 4, 2, kGet + authority));  // a server's stream
  expect_nothing(opening() + frame(1, 0x0c, 1,
                                   "\x10"
                                   "short"));  // all padding
  expect_nothing(opening() + frame(1, 0, 1, kGet) + frame(0, 0, 1, "data"));
  expect_nothing(opening() + "\x7f" + std::string(8, '\0'));            // a frame of 8 MiB
  expect_nothing(request("\x80"));                                      // index 0
  expect_nothing(request(std::string("\x00\xff\xff\xff\xff\x7f", 6)));  // a size past any block
  expect_nothing(request(kGet + "\x41\x7f"
                                "short"));  // a string past the block
}

TEST(SniffH2c, ContinuationOfAnotherStreamIsNothing) {
  const std::string authority = field(":authority", "a.test");
  const std::string headers = opening() + frame(1, 0, 3, kGet);
  expect_found(headers + frame(9, 4, 3, authority), Protocol::http, "a.test");
  expect_nothing(headers + frame(9, 4, 5, authority));
  expect_nothing(headers + frame(9, 0, 3, "") + frame(9, 4, 1, authority));
}

TEST(SniffH2c, TooManyFramesOfOneBlockTakeOnlyTheName) {
  const auto wire = [](std::size_t frames) {
    std::string out = opening() + frame(1, 0, 1, kGet);
    for (std::size_t i = 2; i < frames; ++i) out += frame(9, 0, 1, "");
    return out + frame(9, 4, 1, field(":authority", "a.test"));
  };
  expect_found(wire(kMaxPieces), Protocol::http, "a.test");
  expect_found(wire(kMaxPieces + 1), Protocol::http, "");
}

TEST(SniffH2c, StrangeStringsAreSteppedOver) {
  expect_found(request(kGet + field(":authority", std::string(126, 'a'))), Protocol::http, "");
  expect_found(request(kGet + "\x41" + huffman("fffffff0") + field("x", "y")), Protocol::http, "");
  const std::string huge = "\x41\x7f\xad\x02" + std::string(127 + 0x2d + 0x100, 'a');
  expect_found(request(kGet + huge + field("x", "y")), Protocol::http, "");
}

TEST(SniffH2c, BoundsEndTheSearchWithWhatIsProven) {
  std::string many = opening();
  for (std::size_t i = 0; i < kMaxFramesBefore; ++i) many += frame(8, 0, 0, number(1, 4));
  EXPECT_EQ(sniffed(many).verdict, Verdict::found);
  const std::string endless = opening() + frame(1, 0, 1, kGet + field("x", "y"));
  std::string wire = endless;
  while (wire.size() < kMaxHttp) wire += frame(9, 0, 1, field("x", std::string(120, 'y')));
  EXPECT_EQ(sniffed(wire).verdict, Verdict::found);
  EXPECT_EQ(sniffed(endless).verdict, Verdict::needs_more);
  EXPECT_EQ(sniffed(endless).protocol, Protocol::http);
}

}  // namespace
}  // namespace sluice::sniff
