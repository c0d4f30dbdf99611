#include "ui/cli/top_view.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "ui/cli/text_width.h"

namespace sluice::cli {
namespace {

pb::FlowTable table(std::initializer_list<std::pair<std::uint64_t, std::uint64_t>> id_and_bytes) {
  pb::FlowTable out;
  for (const auto& [id, bytes] : id_and_bytes) {
    pb::Flow& f = *out.add_flows();
    f.set_id(id);
    f.set_download(bytes);
    f.set_host("host-" + std::to_string(id) + ".test");
    f.mutable_source()->set_ip("192.168.1." + std::to_string(100 - id));
    f.set_start_wall_ms(static_cast<std::int64_t>(1000 * (10 - id)));
    f.add_chains("DIRECT");
  }
  return out;
}

class Top : public testing::Test {
 protected:
  Top() {
    view.take(table({{1, 5000}, {2, 100}, {3, 0}}), Moment{0});
    view.take(table({{1, 5000}, {2, 200}, {3, 50}}), Moment{1000});
  }
  /// Ids in the order shown.
  std::vector<std::uint64_t> order() const {
    std::vector<std::uint64_t> out;
    const pb::FlowTable shown = view.shown();
    for (const pb::Flow& flow : shown.flows()) out.push_back(flow.id());
    return out;
  }
  using Ids = std::vector<std::uint64_t>;

  TopView view{{}, TopOrder::rate};
};

TEST_F(Top, KeysSortAndInvert) {
  EXPECT_EQ(order(), (Ids{2, 3, 1})) << "by rate";
  EXPECT_TRUE(view.keys("t"));
  EXPECT_EQ(order(), (Ids{1, 2, 3}));
  EXPECT_TRUE(view.keys("a"));
  EXPECT_EQ(order(), (Ids{3, 2, 1})) << "the oldest first";
  EXPECT_TRUE(view.keys("c"));
  EXPECT_EQ(order(), (Ids{3, 2, 1}));
  EXPECT_TRUE(view.keys("h"));
  EXPECT_EQ(order(), (Ids{1, 2, 3}));
  EXPECT_TRUE(view.keys("i"));
  EXPECT_EQ(order(), (Ids{3, 2, 1}));
}

TEST_F(Top, APauseKeepsWhatIsShown) {
  EXPECT_TRUE(view.keys("p"));
  view.take(table({{9, 1}}), Moment{2000});
  EXPECT_EQ(order().size(), 3U);
  EXPECT_NE(view.frame({120, 20'000}, 10).find("PAUSED"), std::string::npos);
  EXPECT_TRUE(view.keys(" "));
  view.take(table({{9, 1}}), Moment{3000});
  EXPECT_EQ(order(), (Ids{9}));
}

TEST_F(Top, ASearchTakesKeysUntilEnterOrEscape) {
  EXPECT_TRUE(view.keys("/host-3q\x7f"));
  EXPECT_EQ(order(), (Ids{3})) << "q is a letter here";
  EXPECT_TRUE(view.keys("\r"));
  EXPECT_TRUE(view.keys("t"));
  EXPECT_EQ(order(), (Ids{3}));
  EXPECT_TRUE(view.keys("/x\x1b"));
  EXPECT_EQ(order().size(), 3U);
  EXPECT_FALSE(view.keys("q"));
}

TEST_F(Top, CtrlCEndsItAlsoWhileSearching) {
  EXPECT_TRUE(view.keys("/abc"));
  EXPECT_FALSE(view.keys("\x03"));
}

TEST_F(Top, ArrowsScrollAndStopAtTheLastRow) {
  EXPECT_TRUE(view.keys("h"));
  EXPECT_TRUE(view.keys("\x1b["));
  EXPECT_TRUE(view.keys("B")) << "the sequence may come in pieces";
  std::string frame = view.frame({120, 20'000}, 4);
  EXPECT_EQ(frame.find("host-1"), std::string::npos);
  EXPECT_NE(frame.find("host-2"), std::string::npos);
  EXPECT_TRUE(view.keys("jjjjjjj"));
  frame = view.frame({120, 20'000}, 4);
  EXPECT_NE(frame.find("host-3"), std::string::npos) << frame;
  EXPECT_TRUE(view.keys("\x1b[A"));
  EXPECT_NE(view.frame({120, 20'000}, 4).find("host-2"), std::string::npos);
}

/// Without what steers the terminal.
std::vector<std::string> lines_of(const std::string& frame) {
  std::vector<std::string> out(1);
  for (std::size_t i = 0; i < frame.size(); ++i) {
    if (frame[i] == '\x1b') {
      while (i < frame.size() && !std::isalpha(static_cast<unsigned char>(frame[i]))) ++i;
      if (frame[i] == 'H' && !out.back().empty()) out.emplace_back();
    } else if (frame[i] == '\n') {
      out.emplace_back();
    } else if (frame[i] != '\r') {
      out.back() += frame[i];
    }
  }
  return out;
}

TEST_F(Top, AFrameFitsEveryTerminal) {
  for (const std::size_t width : {1U, 10U, 40U, 60U, 84U, 110U, 200U})
    for (const std::size_t height : {1U, 2U, 3U, 4U, 24U}) {
      const auto lines = lines_of(view.frame({width, 20'000}, height));
      EXPECT_LE(std::ranges::count_if(lines, [](const auto& l) { return !l.empty(); }),
                static_cast<std::ptrdiff_t>(height))
          << width << "x" << height;
      for (const std::string& line : lines)
        EXPECT_LE(text_width(line), width) << width << "x" << height << ": " << line;
    }
}

TEST_F(Top, NarrowScreensLeaveOutColumns) {
  EXPECT_NE(view.frame({120, 20'000}, 10).find("RULE"), std::string::npos);
  const std::string narrow = view.frame({50, 20'000}, 10);
  EXPECT_EQ(narrow.find("RULE"), std::string::npos);
  EXPECT_NE(narrow.find("DOWN/S"), std::string::npos);
}

TEST_F(Top, OnceItIsATableWithoutAnythingThatSteers) {
  const std::string text = view.table({0, 20'000});
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_EQ(std::ranges::count(text, '\n'), 5);
}

}  // namespace
}  // namespace sluice::cli
