#include "proto/common/utf8.h"

#include <gtest/gtest.h>

namespace sluice {
namespace {

// RFC 3629 section 4: the first and the last of each length, and what lies around the surrogates.
TEST(Utf8, TakesTheEndsOfEveryLength) {
  const std::pair<std::string_view, char32_t> table[] = {{{"\0", 1}, 0x0},
                                                         {"\x7f", 0x7f},
                                                         {"\xc2\x80", 0x80},
                                                         {"\xdf\xbf", 0x7ff},
                                                         {"\xe0\xa0\x80", 0x800},
                                                         {"\xed\x9f\xbf", 0xd7ff},
                                                         {"\xee\x80\x80", 0xe000},
                                                         {"\xef\xbf\xbf", 0xffff},
                                                         {"\xf0\x90\x80\x80", 0x10000},
                                                         {"\xf4\x8f\xbf\xbf", 0x10ffff}};
  for (const auto& [text, value] : table) {
    const auto whole = first_code_point(std::string(text) + "x");
    ASSERT_TRUE(whole) << std::hex << static_cast<std::uint32_t>(value);
    EXPECT_EQ(whole->value, value);
    EXPECT_EQ(whole->size, text.size());
    for (std::size_t cut = 0; cut < text.size(); ++cut)
      EXPECT_FALSE(first_code_point(text.substr(0, cut))) << cut;
  }
}

TEST(Utf8, RefusesOverlongFormsSurrogatesAndStrayBytes) {
  for (const std::string_view bad :
       {"\x80", "\xc0\x80", "\xc1\xbf", "\xe0\x9f\xbf", "\xed\xa0\x80", "\xed\xbf\xbf",
        "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xff", "\xc3(", "\xe2\x82("})
    EXPECT_FALSE(first_code_point(bad)) << valid_utf8(bad);
}

TEST(Utf8, EachOddByteBecomesOneReplacement) {
  const std::string mark(kReplacementText);
  EXPECT_EQ(valid_utf8("a\xff\xc3(\xed\xa0\x80é\xe2\x82"),
            "a" + mark + mark + "(" + mark + mark + mark + "é" + mark + mark);
  EXPECT_EQ(valid_utf8("🇭🇰 香港"), "🇭🇰 香港");
  EXPECT_EQ(valid_utf8(""), "");
}

}  // namespace
}  // namespace sluice
