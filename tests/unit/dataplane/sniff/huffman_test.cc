#include "dataplane/sniff/huffman.h"

#include <string>

#include "tests/unit/dataplane/support/vectors.h"

namespace sluice::sniff {
namespace {

/// "?" for a string that holds no name, and for padding that is wrong.
std::string decoded(std::string_view hex) {
  HuffmanDecoder decoder;
  std::string out;
  for (const std::byte byte : test::from_hex(hex)) {
    char symbols[2];
    const int count = decoder.feed(std::to_integer<std::uint8_t>(byte), symbols);
    if (count < 0) return "?";
    out.append(symbols, static_cast<std::size_t>(count));
  }
  return decoder.may_end() ? out : "?";
}

// RFC 7541 appendix C.4 and C.6.
TEST(Huffman, MatchesRfc7541) {
  EXPECT_EQ(decoded("f1e3c2e5f23a6ba0ab90f4ff"), "www.example.com");
  EXPECT_EQ(decoded("a8eb10649cbf"), "no-cache");
  EXPECT_EQ(decoded("25a849e95ba97d7f"), "custom-key");
  EXPECT_EQ(decoded("25a849e95bb8e8b4bf"), "custom-value");
  EXPECT_EQ(decoded("9d29ad171863c78f0b97c8e9ae82ae43d3"), "https://www.example.com");
  EXPECT_EQ(decoded("d07abe941054d444a8200595040b8166e082a62d1bff"),
            "Mon, 21 Oct 2013 20:13:21 GMT");
  EXPECT_EQ(
      decoded("94e7821dd7f2e6c7b335dfdfcd5b3960d5af27087f3672c1ab270fb5291f9587316065c003ed4ee5"
              "b1063d5007"),
      "foo=ASDJKHQKBZXOQWEOPIUAXQWEOIU; max-age=3600; version=1");
}

// Made with an encoder of the whole appendix B: each symbol that is decoded here, once.
TEST(Huffman, KnowsEverySymbolOfANameOrAuthority) {
  const test::Vectors known("huffman.txt");
  std::string printable;
  for (char c = '!'; c <= '~'; ++c)
    if (c != '\\') printable += c;
  EXPECT_EQ(decoded(known.text("printable")), printable);
}

TEST(Huffman, StringsThatHoldNoNameEnd) {
  EXPECT_EQ(decoded("fffffff0"), "?");  // backslash, 19 bits
  EXPECT_EQ(decoded("ff"), "?");        // padding of a whole byte
  EXPECT_EQ(decoded("1e"), "?");        // 'a' and padding that is not all ones
  EXPECT_EQ(decoded("1f"), "a");
  EXPECT_EQ(decoded(""), "");
}

}  // namespace
}  // namespace sluice::sniff
