#include "controlplane/config/encoding.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace sluice::config {
namespace {

using namespace std::string_view_literals;

TEST(Encoding, DropsOnlyALeadingByteOrderMark) {
  std::string_view text = "\xef\xbb\xbfport: 1\n"sv;
  EXPECT_FALSE(check_encoding(text));
  EXPECT_EQ(text, "port: 1\n");
  std::string_view plain = "a: \xef\xbb\xbf\n"sv;
  EXPECT_FALSE(check_encoding(plain));
  EXPECT_EQ(plain.size(), 7U);
}

TEST(Encoding, NamesUtf16WithAndWithoutMark) {
  for (std::string_view text : {"\xff\xfep\0o\0"sv, "\xfe\xff\0p\0o"sv, "p\0o\0"sv, "\0p\0o"sv}) {
    const auto fault = check_encoding(text);
    ASSERT_TRUE(fault);
    EXPECT_NE(fault->problem.find("UTF-16"), std::string::npos);
  }
}

TEST(Encoding, GivesThePlaceInCharactersNotBytes) {
  std::string_view text = "a: 1\n\xf0\x9f\x87\xad\xf0\x9f\x87\xb0 \xff\n"sv;
  const auto fault = check_encoding(text);
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->at, (model::Position{2, 4}));
}

TEST(Encoding, RefusesWhatRfc3629Refuses) {
  const std::string_view bad[] = {
      "ab\x80"sv,          // a tail alone
      "ab\xc0\xaf"sv,      // overlong, two bytes
      "ab\xe0\x9f\xbf"sv,  // overlong, three
      "ab\xed\xa0\x80"sv,  // surrogate
      "ab\xf0\x8f\xbf\xbf"sv,
      "ab\xf4\x90\x80\x80"sv,
      "ab\xf5\x80\x80\x80"sv,
      "ab\xe2\x82"sv,  // cut
      "ab\0c"sv,       // NUL
  };
  for (std::string_view text : bad) EXPECT_TRUE(check_encoding(text)) << text;
  const std::string_view good[] = {""sv, "\xc2\x80"sv, "\xe0\xa0\x80"sv, "\xee\x80\x80"sv,
                                   "\xf4\x8f\xbf\xbf"sv};
  for (std::string_view text : good) EXPECT_FALSE(check_encoding(text)) << text;
}

}  // namespace
}  // namespace sluice::config
