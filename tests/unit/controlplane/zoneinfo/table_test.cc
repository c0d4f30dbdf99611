#include "controlplane/zoneinfo/table.h"

#include "controlplane/zoneinfo/limits.h"

namespace sluice::zoneinfo {
namespace {

constexpr std::int64_t k2026 = 1'767'225'600;
constexpr std::int64_t k2036 = 2'082'758'400;

TEST(Span, CoversWholeYearsAroundNow) {
  EXPECT_EQ(start_of_year(2026), k2026);
  EXPECT_EQ(start_of_year(2036), k2036);
  EXPECT_EQ(year_of(k2026), 2026);
  EXPECT_EQ(year_of(k2026 - 1), 2025);
  EXPECT_EQ(year_of(-1), 1969);

  const Span early = span_around(k2026 + kDay_s);
  EXPECT_EQ(early.from, k2026);
  EXPECT_EQ(early.to, start_of_year(2037));
  const Span late = span_around(start_of_year(2027) - 1);
  EXPECT_EQ(late.from, early.from);
  EXPECT_EQ(late.to, early.to);
  // The day before now counts: rules that go over midnight belong to it.
  EXPECT_EQ(span_around(k2026 + kDay_s - 1).from, start_of_year(2025));
  EXPECT_EQ(span_around(k2026 - 1).to, k2036);
}

TEST(Span, SurvivesAClockThatIsOutOfItsMind) {
  EXPECT_EQ(span_around(0).from, start_of_year(1969));
  EXPECT_EQ(span_around(INT64_MIN).from, start_of_year(1969));
  EXPECT_EQ(year_of(span_around(INT64_MAX).from), 8307);
}

TEST(TableWriter, KeepsWhatDiffersWithinTheSpan) {
  TableWriter out({100, 200}, 1);
  out.change(50, 2);
  out.change(60, 3);
  out.change(100, 4);  // holds at the first moment
  out.change(110, 4);
  out.change(120, 5);
  out.change(199, 6);
  out.change(200, 7);
  const auto zone = out.finish();
  ASSERT_TRUE(zone);
  EXPECT_EQ(*zone, (ruleset::Zone{4, {{120, 5}, {199, 6}}}));
}

TEST(TableWriter, IsBounded) {
  constexpr auto kMost = static_cast<std::int64_t>(kMaxTransitions);
  for (const std::int64_t count : {kMost, kMost + 1}) {
    TableWriter out({0, 1'000'000}, 0);
    for (std::int64_t i = 1; i <= count; ++i) out.change(i, static_cast<std::int32_t>(i % 2));
    const auto zone = out.finish();
    EXPECT_EQ(zone.has_value(), count == kMost);
    EXPECT_TRUE(zone || zone.error().code == Errc::too_large);
  }
}

std::string bytes_of(std::initializer_list<ruleset::Zone> zones) {
  std::string out;
  for (const ruleset::Zone& zone : zones) append_bytes(zone, out);
  return out;
}

TEST(TableBytes, TellTablesApart) {
  const ruleset::Zone plain{3600, {}};
  const ruleset::Zone changing{3600, {{100, 7200}, {200, 3600}}};
  EXPECT_EQ(bytes_of({changing}), bytes_of({ruleset::Zone{3600, {{100, 7200}, {200, 3600}}}}));
  EXPECT_NE(bytes_of({changing}), bytes_of({plain}));
  EXPECT_NE(bytes_of({changing}), bytes_of({ruleset::Zone{3600, {{100, 7200}, {201, 3600}}}}));
  EXPECT_NE(bytes_of({changing}), bytes_of({ruleset::Zone{3600, {{100, 7200}, {200, 3601}}}}));
  EXPECT_NE(bytes_of({plain}), bytes_of({ruleset::Zone{-3600, {}}}));
  EXPECT_NE(bytes_of({plain, changing}), bytes_of({changing, plain}));
  EXPECT_EQ(bytes_of({changing}).size(), 12U * 3);
}

}  // namespace
}  // namespace sluice::zoneinfo
