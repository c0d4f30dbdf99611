#include "ui/cli/table.h"

#include <gtest/gtest.h>

#include "ui/cli/text_width.h"

namespace sluice::cli {
namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    out.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

TEST(Table, AlignsByColumnsOnScreen) {
  EXPECT_EQ(layout({{"NAME"}, {"SIZE", Align::right}, {"X"}},
                   {{"香港", "1", "a"}, {"de", "1000", "b"}}, 0),
            "NAME  SIZE  X\n"
            "香港     1  a\n"
            "de    1000  b\n");
}

TEST(Table, HasNoBlanksAtLineEnds) {
  for (const std::string& line : lines_of(layout({{"A"}, {"B"}}, {{"1", ""}, {"", "22"}}, 0)))
    EXPECT_FALSE(line.ends_with(' ')) << line;
}

TEST(Table, TheWidestShrinkingColumnGivesWayFirst) {
  const std::string out =
      layout({{"ID"}, {"LONG", Align::left, true}, {"SHORT", Align::left, true}},
             {{"1", std::string(40, 'x'), "yyyyyyyyyy"}}, 30);
  const auto lines = lines_of(out);
  EXPECT_EQ(text_width(lines[1]), 30u);
  EXPECT_NE(lines[1].find("yyyyyyyyyy"), std::string::npos) << "the short one is whole";
  EXPECT_NE(lines[1].find("x…"), std::string::npos);
}

TEST(Table, FitsEveryWidth) {
  const std::vector<Column> columns{{"ID", Align::right},
                                    {"A", Align::left, true},
                                    {"B", Align::left, true},
                                    {"N", Align::right}};
  const std::vector<std::vector<std::string>> rows{
      {"1", "香港 something long enough", "another quite long text", "12.3 MiB"},
      {"22", "short", "", "0 B"}};
  for (std::size_t width = 1; width < 80; ++width)
    for (const std::string& line : lines_of(layout(columns, rows, width)))
      EXPECT_LE(text_width(line), width);
}

TEST(Table, HostileCellsCannotSteerTheTerminal) {
  const std::string out = layout({{"A"}, {"B"}}, {{"x\x1b]0;t\x07", "line\nbreak"}}, 0);
  EXPECT_EQ(out.find('\x1b'), std::string::npos);
  EXPECT_EQ(lines_of(out).size(), 2u);
}

TEST(Table, ShortRowsAreFilled) {
  EXPECT_EQ(layout({{"A"}, {"B"}}, {{"1"}}, 0), "A  B\n1\n");
}

}  // namespace
}  // namespace sluice::cli
