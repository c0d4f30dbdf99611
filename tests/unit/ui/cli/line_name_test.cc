#include "ui/cli/line_name.h"

#include <gtest/gtest.h>

namespace sluice::cli {
namespace {

TEST(LineName, GoesBothWays) {
  for (const char* text : {"0", "12", "ads/3", "a/b/2147483647", "香港 1/0"}) {
    const auto name = parse_line_name(text);
    ASSERT_TRUE(name) << text;
    EXPECT_EQ(to_text(*name), text);
  }
  EXPECT_EQ(*parse_line_name("a/b/4"), (LineName{"a/b", 4}));
  EXPECT_EQ(*parse_line_name("/4"), (LineName{"", 4})) << "no list is `rules`";
}

TEST(LineName, WithoutAProperNumberThereIsNone) {
  for (const char* text : {"", "ads", "ads/", "-1", "ads/-1", "1.5", "2147483648", "ads/ 3"})
    EXPECT_FALSE(parse_line_name(text)) << text;
}

}  // namespace
}  // namespace sluice::cli
