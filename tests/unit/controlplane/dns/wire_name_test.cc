#include "controlplane/dns/message/wire_name.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/unit/controlplane/dns/wire.h"

namespace sluice::dns {
namespace {

using test::Bytes;
using test::from_hex;
using test::labels;

Bytes with_header(const Bytes& rest) {
  Bytes out(12);
  test::append(out, rest);
  return out;
}

TEST(WireName, TextRoundTripsAndEveryPrefixIsTruncated) {
  const Bytes wire = with_header(labels("www.a_b-c.test"));
  std::size_t at = 12;
  const auto name = read_name(wire, at);
  ASSERT_TRUE(name);
  EXPECT_EQ(at, wire.size());
  EXPECT_EQ(name->to_normal()->view(), "www.a_b-c.test");
  EXPECT_EQ(*WireName::from_text("www.a_b-c.test"), *name);
  for (std::size_t cut = 12; cut < wire.size(); ++cut) {
    at = 12;
    EXPECT_EQ(read_name(std::span(wire).first(cut), at).error().code, Errc::truncated) << cut;
  }
}

TEST(WireName, PointersLeadBackOnly) {
  // 12: "test", 18: "a" + pointer to 12
  const Bytes wire = with_header(from_hex("0474657374 00 0161 c00c"));
  std::size_t at = 18;
  const auto name = read_name(wire, at);
  ASSERT_TRUE(name);
  EXPECT_EQ(name->to_normal()->view(), "a.test");
  EXPECT_EQ(at, wire.size());
}

TEST(WireName, LoopsAndOddPointersAreMalformed) {
  for (const char* text : {
           "c00c",          // to itself
           "0161c00c",      // to the start of its own name
           "c00e 0161 00",  // forward
           "c003",          // into the header
           "4161",          // reserved label type 01
           "8161",          // reserved label type 10
       }) {
    std::size_t at = 12;
    EXPECT_EQ(read_name(with_header(from_hex(text)), at).error().code, Errc::malformed) << text;
  }
  // Two pointers at each other.
  std::size_t at = 14;
  EXPECT_EQ(read_name(with_header(from_hex("c00ec00c")), at).error().code, Errc::malformed);
}

TEST(WireName, LongestNameIs255Bytes) {
  const std::string label(63, 'x');
  const std::string longest = label + "." + label + "." + label + "." + std::string(61, 'x');
  ASSERT_EQ(longest.size(), 253U);
  const Bytes wire = with_header(labels(longest));
  std::size_t at = 12;
  const auto name = read_name(wire, at);
  ASSERT_TRUE(name);
  EXPECT_EQ(name->size(), 255U);
  EXPECT_EQ(name->to_normal()->view(), longest);
  at = 12;
  EXPECT_EQ(read_name(with_header(labels(longest + "x")), at).error().code, Errc::malformed);
}

// B053: such labels are legal on the wire but have no text form.
TEST(WireName, BytesWithoutTextFormAreRefused) {
  for (const char* text :
       {"03619862 00", "07613a623d632064 00", "03610062 00", "03612e62 00", "00"}) {
    const Bytes wire = with_header(from_hex(text));
    std::size_t at = 12;
    const auto name = read_name(wire, at);
    ASSERT_TRUE(name) << text;
    EXPECT_EQ(name->to_normal().error().code, Errc::malformed) << text;
  }
}

TEST(WireName, ComparesWithoutCaseAndLowers) {
  const Bytes upper = with_header(labels("WwW.TesT"));
  std::size_t at = 12;
  const auto name = read_name(upper, at);
  ASSERT_TRUE(name);
  EXPECT_EQ(*name, *WireName::from_text("www.test"));
  EXPECT_TRUE(std::ranges::equal(name->lowered().bytes(), labels("www.test")));
  EXPECT_FALSE(*name == *WireName::from_text("www.tesu"));
  EXPECT_FALSE(WireName::from_text("UPPER.test"));
}

}  // namespace
}  // namespace sluice::dns
