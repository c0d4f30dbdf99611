#include "proto/common/text.h"

#include <gtest/gtest.h>

#include "proto/common/error_text.h"

namespace sluice {
namespace {

TEST(Text, NumbersAreWholeOrNothing) {
  EXPECT_EQ(*parse_number("0"), 0U);
  EXPECT_EQ(*parse_number("65535", 65535), 65535U);
  for (const char* bad : {"", " 1", "1 ", "-1", "+1", "1.0", "0x1", "99999999999999999999"})
    EXPECT_FALSE(parse_number(bad)) << bad;
  EXPECT_FALSE(parse_number("65536", 65535));
}

TEST(Text, HostPortNeedsBracketsAroundColons) {
  EXPECT_EQ(split_host_port("a.test:80")->host, "a.test");
  EXPECT_EQ(split_host_port("[::1]:80")->host, "::1");
  for (const char* bad : {"", ":80", "a", "a:", "::1:80", "[::1]", "[::1]80", "a:b", "a:65536"})
    EXPECT_FALSE(split_host_port(bad)) << bad;
  EXPECT_EQ(join_host_port("::1", 80), "[::1]:80");
}

// RFC 3629 section 4, the corners of each row of its table.
TEST(Text, Utf8IsWellFormedOrNot) {
  for (const char* good :
       {"", "plain", "\xc2\x80", "\xdf\xbf", "\xe0\xa0\x80", "\xed\x9f\xbf", "\xee\x80\x80",
        "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf", "\xe2\x99\xbb A"})
    EXPECT_TRUE(is_utf8(good)) << good;
  for (const char* bad :
       {"\x80", "\xc1\x80", "\xc2", "\xc2\x41", "\xe0\x9f\xbf", "\xed\xa0\x80", "\xe1\x80",
        "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "a\xff", "\xe1\x80\xc0"})
    EXPECT_FALSE(is_utf8(bad)) << bad;
}

TEST(Error, TextNamesTheCodeAndTheErrno) {
  const auto failed = fail_errno(111);  // ECONNREFUSED
  EXPECT_EQ(failed.error().code, Errc::refused);
  EXPECT_EQ(describe(failed.error()), "the far side refused: Connection refused");
}

}  // namespace
}  // namespace sluice
