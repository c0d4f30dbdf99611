#include "ui/cli/watch.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace sluice::cli {
namespace {

pb::FlowTable table(std::initializer_list<std::pair<std::uint64_t, std::uint64_t>> id_and_bytes) {
  pb::FlowTable out;
  for (const auto& [id, bytes] : id_and_bytes) {
    pb::Flow& f = *out.add_flows();
    f.set_id(id);
    f.set_download(bytes);
    f.set_host("host-" + std::to_string(id));
    out.set_download_total(out.download_total() + bytes);
  }
  return out;
}

std::size_t place(const std::string& frame, int id) {
  const std::size_t at = frame.find("host-" + std::to_string(id));
  EXPECT_NE(at, std::string::npos) << id;
  return at;
}

TEST(Watch, TheBusiestSinceTheLastFrameComesFirst) {
  WatchScreen watch;
  const std::string first = watch.frame(table({{1, 10}, {2, 5000}, {3, 0}}), {}, 0, Moment{0});
  EXPECT_LT(place(first, 2), place(first, 1));
  EXPECT_LT(place(first, 1), place(first, 3));
  const std::string second =
      watch.frame(table({{1, 10}, {2, 5001}, {3, 4096}}), {}, 0, Moment{1000});
  EXPECT_LT(place(second, 3), place(second, 2));
  EXPECT_LT(place(second, 2), place(second, 1));
  EXPECT_NE(second.find("(4.0 KiB/s)"), std::string::npos) << second;
}

TEST(Watch, OnlyTheFirstFrameClearsTheScreen) {
  WatchScreen watch;
  EXPECT_TRUE(watch.frame(table({}), {}, 0, Moment{0}).starts_with("\x1b[2J\x1b[H"));
  const std::string second = watch.frame(table({}), {}, 0, Moment{1000});
  EXPECT_TRUE(second.starts_with("\x1b[H"));
  EXPECT_EQ(second.find("\x1b[2J"), std::string::npos);
  EXPECT_TRUE(second.ends_with("\x1b[J"));
}

TEST(Watch, AFrameFitsTheHeightAndSaysWhatIsLeftOut) {
  WatchScreen watch;
  pb::FlowTable many;
  for (std::uint64_t id = 1; id <= 50; ++id) many.add_flows()->set_id(id);
  for (std::size_t height = 3; height < 60; ++height) {
    const std::string frame = watch.frame(many, {}, height, Moment{0});
    const auto breaks = static_cast<std::size_t>(std::ranges::count(frame, '\n'));
    EXPECT_LT(breaks, height) << "the last line break would move the screen";
    EXPECT_EQ(frame.find(" more") != std::string::npos, height < 53) << height;
  }
  // 10 lines: summary, titles, 6 flows, the rest's number, one left free.
  EXPECT_NE(watch.frame(many, {}, 10, Moment{0}).find("… 44 more"), std::string::npos);
}

TEST(Watch, EveryLineClearsItsEnd) {
  WatchScreen watch;
  const std::string frame = watch.frame(table({{1, 1}}), {}, 0, Moment{0});
  for (std::size_t at = frame.find("\r\n"); at != std::string::npos;
       at = frame.find("\r\n", at + 1))
    EXPECT_EQ(frame.substr(at - 3, 3), "\x1b[K");
}

}  // namespace
}  // namespace sluice::cli
