#include "ui/cli/json_writer.h"

#include <gtest/gtest.h>

namespace sluice::cli {
namespace {

std::string quoted(std::string_view text) {
  JsonWriter w;
  w.text(text);
  return w.str();
}

TEST(JsonWriter, PutsCommasWhereTheyBelong) {
  JsonWriter w;
  w.object([&] {
    w.key("a").number(std::uint64_t{1});
    w.key("b").array([&] {
      w.text("x");
      w.object([] {});
      w.array([] {});
      w.boolean(true);
    });
    w.key("c").object([&] { w.key("d").number(std::int64_t{-2}); });
    w.key("e").boolean(false);
  });
  EXPECT_EQ(w.str(), R"({"a":1,"b":["x",{},[],true],"c":{"d":-2},"e":false})");
}

TEST(JsonWriter, EscapesWhatRfc8259Demands) {
  EXPECT_EQ(quoted("a\"b\\c/d"), R"("a\"b\\c/d")");
  EXPECT_EQ(quoted("\n\t\r"), "\"\\n\\t\\u000d\"");
  for (char c = 0; c < 0x20; ++c) {
    const std::string out = quoted(std::string_view(&c, 1));
    EXPECT_EQ(out[1], '\\') << static_cast<int>(c);
  }
}

TEST(JsonWriter, KeepsUtf8AndReplacesWhatIsNot) {
  EXPECT_EQ(quoted("香港 🚀"), "\"香港 🚀\"");
  EXPECT_EQ(quoted("a\xff z"), "\"a\xef\xbf\xbd z\"");
}

TEST(JsonWriter, KeepsLargeNumbersExact) {
  JsonWriter w;
  w.number(UINT64_MAX);
  EXPECT_EQ(w.str(), "18446744073709551615");
}

}  // namespace
}  // namespace sluice::cli
