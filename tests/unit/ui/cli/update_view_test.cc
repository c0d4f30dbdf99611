#include "ui/cli/update_view.h"

#include <gtest/gtest.h>

namespace sluice::cli {
namespace {

pb::RuleProviderUpdates news(const char* name, pb::RefreshState state, std::uint64_t received,
                             std::uint64_t total, const char* reason = "") {
  pb::RuleProviderUpdates out;
  pb::RuleProviderUpdate& one = *out.add_updates();
  one.set_name(name);
  one.set_state(state);
  one.set_received(received);
  one.set_total(total);
  one.set_reason(reason);
  return out;
}

TEST(UpdateView, ATerminalHasOneLineForEachInPlace) {
  UpdateView view;
  EXPECT_TRUE(view.empty());
  EXPECT_EQ(view.paint(news("ads", pb::REFRESH_RUNNING, 1024, 4096), 0),
            "\rads  running, 1.0 KiB of 4.0 KiB\x1b[K\n");
  EXPECT_EQ(view.paint(news("country", pb::REFRESH_RUNNING, 0, 0), 0),
            "\x1b[1A"
            "\rads      running, 1.0 KiB of 4.0 KiB\x1b[K\n"
            "\rcountry  running\x1b[K\n");
  EXPECT_EQ(view.paint(news("ads", pb::REFRESH_UPDATED, 4096, 4096), 0),
            "\x1b[2A"
            "\rads      updated, 4.0 KiB\x1b[K\n"
            "\rcountry  running\x1b[K\n");
  EXPECT_EQ(UpdateView().report(news("ads", pb::REFRESH_UPDATED, 4096, 4096, "from memory")),
            "ads  updated, 4.0 KiB; from memory\n");
  EXPECT_FALSE(view.any_failed());
  EXPECT_EQ(view.paint(news("country", pb::REFRESH_FAILED, 0, 0, "no\nroute"), 22),
            "\x1b[2A"
            "\rads      updated, 4.0…\x1b[K\n"
            "\rcountry  failed: no?r…\x1b[K\n")
      << "no line is wider than the screen";
  EXPECT_TRUE(view.any_failed());
  EXPECT_FALSE(view.empty());
}

TEST(UpdateView, ElsewhereALineForEachThatEnded) {
  UpdateView view;
  EXPECT_EQ(view.report(news("ads", pb::REFRESH_RUNNING, 1024, 4096)), "");
  EXPECT_EQ(view.report(news("ads", pb::REFRESH_NOT_MODIFIED, 10, 10)), "ads  not modified\n");
  EXPECT_EQ(view.report(news("x", pb::REFRESH_FAILED, 0, 0, "404")), "x  failed: 404\n");
  EXPECT_TRUE(view.any_failed());
}

TEST(UpdateView, ProgramsGetEveryPieceOfNews) {
  UpdateView view;
  EXPECT_EQ(view.json(news("ads", pb::REFRESH_RUNNING, 1, 2)),
            R"({"name":"ads","state":"running","received":1,"total":2,"reason":""})"
            "\n");
  EXPECT_EQ(view.json(news("ads", pb::REFRESH_FAILED, 0, 0, "404")),
            R"({"name":"ads","state":"failed","received":0,"total":0,"reason":"404"})"
            "\n");
  EXPECT_TRUE(view.any_failed());
}

}  // namespace
}  // namespace sluice::cli
