#include "controlplane/model/read/words.h"

#include <gtest/gtest.h>

namespace sluice::model {
namespace {

TEST(Words, Flags) {
  for (const char* yes : {"true", "True", "YES", "on"}) EXPECT_EQ(parse_flag(yes), true);
  for (const char* no : {"false", "No", "OFF"}) EXPECT_EQ(parse_flag(no), false);
  for (const char* bad : {"", "1", "0", "y", "truee"}) EXPECT_EQ(parse_flag(bad), std::nullopt);
}

TEST(Words, Integers) {
  EXPECT_EQ(*parse_integer("0"), 0U);
  EXPECT_EQ(*parse_integer("0xFf"), 255U);
  EXPECT_EQ(*parse_integer("18446744073709551615"), UINT64_MAX);
  for (const char* bad :
       {"", "0x", "-1", "1.5", "0xg", "18446744073709551616", "0x10000000000000000"})
    EXPECT_FALSE(parse_integer(bad)) << bad;
}

TEST(Words, Spans) {
  EXPECT_EQ(parse_span("90")->count, 90'000);
  EXPECT_EQ(parse_span("90s")->count, 90'000);
  EXPECT_EQ(parse_span("1500ms")->count, 1500);
  EXPECT_EQ(parse_span("5m")->count, 300'000);
  EXPECT_EQ(parse_span("2H")->count, 7'200'000);
  EXPECT_EQ(parse_span("721h").error().code, Errc::too_large);
  EXPECT_EQ(parse_span("99999999999999999999").error().code, Errc::too_large);
  for (const char* bad : {"", "s", "5d", "-5", "1.5s", "5 s"})
    EXPECT_EQ(parse_span(bad).error().code, Errc::malformed) << bad;
}

TEST(Words, Sizes) {
  EXPECT_EQ(*parse_size("1048576"), std::uint64_t{1} << 20);
  EXPECT_EQ(*parse_size("64K"), std::uint64_t{64} << 10);
  EXPECT_EQ(*parse_size("64MiB"), std::uint64_t{64} << 20);
  EXPECT_EQ(*parse_size("64mb"), std::uint64_t{64} << 20);
  EXPECT_EQ(*parse_size("1GiB"), std::uint64_t{1} << 30);
  EXPECT_EQ(parse_size("1025G").error().code, Errc::too_large);
  EXPECT_EQ(parse_size("64X").error().code, Errc::malformed);
}

TEST(Words, Ports) {
  EXPECT_EQ(parse_ports("1/2-3", 2)->size(), 2U);
  EXPECT_EQ(parse_ports("1/2-3/4", 2).error().code, Errc::too_large);
  for (const char* bad : {"", "/", "1/", "1-", "-1", "3-2", "65536", "1--2"})
    EXPECT_EQ(parse_ports(bad, 9).error().code, Errc::malformed) << bad;
}

TEST(Words, NamesAndPatterns) {
  EXPECT_EQ(*to_ascii_name("Bücher.Example."), "xn--bcher-kva.example");
  EXPECT_EQ(*to_ascii_name("faß.example"), "xn--fa-hia.example");  // IDNA 2008, not 2003
  EXPECT_FALSE(to_ascii_name("a..b"));
  EXPECT_FALSE(to_ascii_name("a b"));
  EXPECT_FALSE(to_ascii_name(std::string(64, 'a')));
  EXPECT_EQ(*to_ascii_pattern("+.Bücher.test"), "+.xn--bcher-kva.test");
  EXPECT_EQ(*to_ascii_pattern(".x.test"), ".x.test");
  EXPECT_EQ(*to_ascii_pattern("time.*.com"), "time.*.com");
  EXPECT_EQ(*to_ascii_pattern("*"), "*");
  EXPECT_EQ(to_ascii_pattern("a*.test").error().code, Errc::unsupported);
  EXPECT_EQ(to_ascii_pattern("*.*.+.x.test").error().code, Errc::unsupported);
  EXPECT_EQ(to_ascii_pattern("+").error().code, Errc::unsupported);
  EXPECT_EQ(to_ascii_pattern("").error().code, Errc::malformed);
}

TEST(Words, QuotesAreCutBetweenCharacters) {
  EXPECT_EQ(quote("a"), "\"a\"");
  const std::string cut = quote(std::string(79, 'a') + "ü" + "b");
  EXPECT_EQ(cut, "\"" + std::string(79, 'a') + "…\"");
}

}  // namespace
}  // namespace sluice::model
