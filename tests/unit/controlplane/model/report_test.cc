#include "controlplane/model/read/report.h"

#include <gtest/gtest.h>

namespace sluice::model {
namespace {

TEST(Diagnostic, LeavesOutWhatIsEmpty) {
  EXPECT_EQ((Diagnostic{Severity::error, "f", 1, 2, "a[0].b", "wrong", "right"}).to_text(),
            "f:1:2: a[0].b: wrong; right");
  EXPECT_EQ((Diagnostic{Severity::error, "f", 0, 0, "", "wrong", ""}).to_text(), "f: wrong");
  EXPECT_EQ((Diagnostic{Severity::error, "", 3, 4, "", "wrong", ""}).to_text(), "3:4: wrong");
  EXPECT_EQ((Diagnostic{Severity::error, "", 0, 0, "", "wrong", ""}).to_text(), "wrong");
}

TEST(Report, JoinsPaths) {
  EXPECT_EQ(join_path("", "a"), "a");
  EXPECT_EQ(join_path("a", "b"), "a.b");
  EXPECT_EQ(join_path("a", std::size_t{3}), "a[3]");
  EXPECT_EQ(join_path("hosts", "+.lan"), "hosts[\"+.lan\"]");
}

TEST(Report, SortsByPlaceAndKeepsTheOrderOfEquals) {
  Report report("f");
  report.error({{2, 1}, "b"}, "1", "");
  report.warning({{1, 5}, "a"}, "2", "");
  report.error({{1, 5}, "a"}, "3", "");
  const auto out = report.finish();
  ASSERT_EQ(out.size(), 3U);
  EXPECT_EQ(out[0].problem, "2");
  EXPECT_EQ(out[1].problem, "3");
  EXPECT_EQ(out[2].problem, "1");
  EXPECT_TRUE(has_errors(out));
  EXPECT_FALSE(report.has_errors());
}

TEST(Report, CountsWhatIsBeyondTheBound) {
  Report report("f");
  for (std::uint32_t i = 0; i < Report::kKept + 5; ++i) report.error({{i + 1, 1}, "a"}, "x", "");
  for (int i = 0; i < 10; ++i) report.warning_once("topic", {{1, 1}, "a"}, "y", "");
  const auto out = report.finish();
  ASSERT_EQ(out.size(), Report::kKept + 2);
  EXPECT_EQ(out[1].problem, "y (and in 9 more places)");
  EXPECT_EQ(out.back().to_text(), "f: 5 more errors are not shown; correct the ones above first");
}

TEST(Report, AnErrorOfOneTopicIsGivenAtItsFirstPlace) {
  Report report("f");
  for (std::uint32_t i = 0; i < 3; ++i) report.error_once("a", {{i + 1, 1}, "p"}, "x", "y");
  report.error_once("b", {{9, 1}, "q"}, "z", "");
  EXPECT_TRUE(report.has_errors());
  const auto out = report.finish();
  ASSERT_EQ(out.size(), 2U);
  EXPECT_EQ(out[0].to_text(), "f:1:1: p: x (and in 2 more places); y");
  EXPECT_EQ(out[0].severity, Severity::error);
  EXPECT_EQ(out[1].problem, "z");
}

}  // namespace
}  // namespace sluice::model
