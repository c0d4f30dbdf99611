#include "ui/cli/text_width.h"

#include <gtest/gtest.h>

namespace sluice::cli {
namespace {

TEST(TextWidth, CountsColumnsNotBytes) {
  EXPECT_EQ(text_width(""), 0u);
  EXPECT_EQ(text_width("plain"), 5u);
  EXPECT_EQ(text_width("é"), 1u);
  EXPECT_EQ(text_width("e\u0301"), 1u) << "a combining accent takes no column";
  EXPECT_EQ(text_width("香港"), 4u);
  EXPECT_EQ(text_width("한국"), 4u);
  EXPECT_EQ(text_width("🚀"), 2u);
  EXPECT_EQ(text_width("🇭🇰 HK"), 5u) << "a flag is two letters of one column each";
  EXPECT_EQ(text_width("ＡＢ"), 4u);
}

TEST(TextWidth, PrintableStopsControlAndReorderingCharacters) {
  EXPECT_EQ(printable("a\x1b[2Jb\r\n"), "a?[2Jb??");
  EXPECT_EQ(printable("a\x7f"), "a?");
  EXPECT_EQ(printable("\u009b31m"), "?31m") << "C1 controls steer terminals as well";
  EXPECT_EQ(printable("a\u202eb\u2066"), "a?b?");
  EXPECT_EQ(printable("香港 é"), "香港 é");
}

TEST(TextWidth, BadUtf8BecomesReplacementCharacters) {
  const std::string mark = "\xef\xbf\xbd";
  EXPECT_EQ(printable("a\xff"), "a" + mark);
  EXPECT_EQ(printable("\xc3"), mark);
  EXPECT_EQ(printable("\xc0\xaf"), mark + mark) << "overlong";
  EXPECT_EQ(printable("\xed\xa0\x80"), mark + mark + mark) << "a surrogate";
  EXPECT_EQ(printable("\xf5\x80\x80\x80"), mark + mark + mark + mark) << "above U+10FFFF";
  EXPECT_EQ(printable("\x80"), mark);
}

TEST(TextWidth, TruncateNeverExceedsAndNeverSplitsACharacter) {
  const std::string text = "香港 node é🚀 end";
  for (std::size_t width = 0; width <= text_width(text) + 1; ++width) {
    const std::string cut = truncate(text, width);
    EXPECT_LE(text_width(cut), width);
    EXPECT_EQ(printable(cut), cut);
    if (width < text_width(text) && width > 0) {
      EXPECT_TRUE(cut.ends_with("…")) << cut;
    }
  }
  EXPECT_EQ(truncate(text, text_width(text)), text);
  EXPECT_EQ(truncate("abcdef", 4), "abc…");
  EXPECT_EQ(truncate("香港", 3), "香…");
  EXPECT_EQ(truncate("香港", 2), "…");
}

}  // namespace
}  // namespace sluice::cli
