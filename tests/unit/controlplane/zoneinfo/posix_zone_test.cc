#include "controlplane/zoneinfo/posix_zone.h"

#include "tests/unit/controlplane/zoneinfo/libc_zone.h"

namespace sluice::zoneinfo {
namespace {

using Change = PosixZone::Change;
using Kind = Change::Kind;

constexpr std::int32_t kHour = 3600;
const Span kSpan = span_around(1'780'000'000);  // from 2026

ruleset::Zone table(std::string_view text) {
  const auto zone = parse_posix_tz(text);
  EXPECT_TRUE(zone) << text;
  return zone ? *table_of(*zone, kSpan) : ruleset::Zone{};
}

PosixZone::Daylight daylight(std::string_view text) {
  const auto zone = parse_posix_tz(text);
  EXPECT_TRUE(zone && zone->daylight) << text;
  return zone && zone->daylight ? *zone->daylight : PosixZone::Daylight{};
}

TEST(PosixZone, OffsetsCountTheOtherWayRound) {
  EXPECT_EQ(parse_posix_tz("UTC0")->standard_s, 0);
  EXPECT_EQ(parse_posix_tz("JST-9")->standard_s, 9 * kHour);
  EXPECT_EQ(parse_posix_tz("HST10")->standard_s, -10 * kHour);
  EXPECT_EQ(parse_posix_tz("EST+5")->standard_s, -5 * kHour);
  EXPECT_EQ(parse_posix_tz("IST-05:30")->standard_s, 5 * kHour + 1800);
  EXPECT_EQ(parse_posix_tz("LMT0:53:28")->standard_s, -3208);
  EXPECT_EQ(parse_posix_tz("<+0545>-5:45")->standard_s, 5 * kHour + 2700);
  EXPECT_EQ(parse_posix_tz("<-00>0")->standard_s, 0);
  EXPECT_FALSE(parse_posix_tz("JST-9")->daylight);
}

TEST(PosixZone, EveryFormOfADay) {
  const auto usual = daylight("CET-1CEST,M3.5.0,M10.5.0/3");
  EXPECT_EQ(usual.offset_s, 2 * kHour);
  EXPECT_EQ(usual.begin, (Change{Kind::weekday, 0, 3, 5, 2 * kHour}));
  EXPECT_EQ(usual.end, (Change{Kind::weekday, 0, 10, 5, 3 * kHour}));
  const auto julian = daylight("AAA3BBB2:30,J60/-1:30,J365/+25");
  EXPECT_EQ(julian.offset_s, -2 * kHour - 1800);
  EXPECT_EQ(julian.begin, (Change{Kind::julian, 60, 1, 1, -kHour - 1800}));
  EXPECT_EQ(julian.end, (Change{Kind::julian, 365, 1, 1, 25 * kHour}));
  const auto ordinal = daylight("AAA3BBB,0/0,365/167:59:59");
  EXPECT_EQ(ordinal.begin, (Change{Kind::ordinal, 0, 1, 1, 0}));
  EXPECT_EQ(ordinal.end, (Change{Kind::ordinal, 365, 1, 1, 168 * kHour - 1}));
  EXPECT_EQ(daylight("EST5EDT"), daylight("EST5EDT4,M3.2.0/2,M11.1.0/2:00:00"));
}

TEST(PosixZone, RefusesEverythingElse) {
  for (const char* text : {"",
                           "UTC",
                           "CE-1",
                           "<+0>0",
                           "<CET-1",
                           "<+0 3>-3",
                           "5EST",
                           "CET-",
                           "CET-25",
                           "CET-24",
                           "CET24",
                           "CET-1:60",
                           "CET-1:00:60",
                           "CET-1:",
                           "CET-1 ",
                           " CET-1",
                           "CET--1",
                           "CET-1CE",
                           "CET-1CEST,",
                           "CET-1CEST,M3.5.0",
                           "CET-1CEST,M3.5.0,",
                           "CET-1CEST,M3.5.0,M10.5.0,",
                           "CET-1CEST,M0.5.0,M10.5.0",
                           "CET-1CEST,M13.5.0,M10.5.0",
                           "CET-1CEST,M3.0.0,M10.5.0",
                           "CET-1CEST,M3.6.0,M10.5.0",
                           "CET-1CEST,M3.5.7,M10.5.0",
                           "CET-1CEST,M3.5,M10.5.0",
                           "CET-1CEST,J0,J300",
                           "CET-1CEST,J366,J300",
                           "CET-1CEST,366,300",
                           "CET-1CEST,M3.5.0/168,M10.5.0",
                           "CET-1CEST,M3.5.0/-168,M10.5.0",
                           "CET-1CEST,M3.5.0/,M10.5.0",
                           "AAA-23:30BBB",
                           "AAA-23BBB-24,0,300",
                           "Europe/Berlin",
                           "CET-99999999999999999999",
                           "CET-1CEST,J99999999999999999999,J1"}) {
    const auto zone = parse_posix_tz(text);
    ASSERT_FALSE(zone) << text;
    EXPECT_EQ(zone.error().code, Errc::malformed) << text;
  }
}

TEST(PosixZone, ProperPrefixesNeverReadPastTheirEnd) {
  const std::string whole = "<+1030>-10:30:15<+11>-11,M10.1.0/-1:02:03,J300/26";
  ASSERT_TRUE(parse_posix_tz(whole));
  for (std::size_t cut = 0; cut < whole.size(); ++cut) {
    // A copy of its own, so that the sanitizer sees a read behind its end.
    const std::vector<char> part(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(cut));
    const auto zone = parse_posix_tz({part.data(), part.size()});
    EXPECT_TRUE(!zone || table_of(*zone, kSpan)) << cut;
  }
}

TEST(PosixZone, IsWhatTheCLibrarySays) {
  for (const char* text : {"UTC0",
                           "<+03>-3",
                           "<-0930>9:30",
                           "XYZ-14:59:59",
                           "CET-1CEST,M3.5.0,M10.5.0/3",
                           "EST5EDT",
                           "EST5EDT4,M3.2.0,M11.1.0",
                           "<+1030>-10:30<+11>-11,M10.1.0,M4.1.0",
                           "IST-1GMT0,M10.5.0,M3.5.0/1",
                           "<-02>2<-01>,M3.5.0/-1,M10.5.0/0",
                           "IST-2IDT,M3.4.4/26,M10.5.0",
                           "EET-2EEST,M3.4.4/50,M10.4.4/50",
                           "<+1245>-12:45<+1345>,M9.5.0/2:45,M4.1.0/3:45",
                           "<+00>0<+02>-2,M3.5.0/1,M10.5.0/3",
                           "AAA3BBB,J60,J300",
                           "AAA3BBB,J59/4,J334",
                           "AAA3BBB,59/1:30:15,300/0",
                           "AAA-3BBB,300,J60/-5",
                           "AAA3BBB,M2.4.3,M9.1.6/-24",
                           "AAA3BBB,M2.5.1/3,M8.5.1"}) {
    const ruleset::Zone zone = table(text);
    EXPECT_EQ(first_difference(zone, text, kSpan), std::nullopt) << text;
  }
}

// RFC 8536 section 3.3.1: begins on 1 January 00:00, ends on 31 December 24:00 plus the difference.
TEST(PosixZone, DaylightTimeAllYear) {
  EXPECT_EQ(table("EST5EDT,0/0,J365/25"), (ruleset::Zone{-4 * kHour, {}}));
  EXPECT_EQ(table("XXX3EDT4,0/0,J365/23"), (ruleset::Zone{-4 * kHour, {}}));
  EXPECT_EQ(table("EST5EDT,J1/0,J365/40"), (ruleset::Zone{-4 * kHour, {}}));
}

TEST(PosixZone, DaylightTimeOfNoLengthIsNone) {
  EXPECT_EQ(table("AAA0BBB,J1/0,J1/1"), (ruleset::Zone{0, {}}));
}

TEST(PosixZone, AYearMayBeginInDaylightTime) {
  const ruleset::Zone south = table("NZST-12NZDT,M9.5.0,M4.1.0/3");
  EXPECT_EQ(south.first_offset_s, 13 * kHour);
  EXPECT_EQ(south.transitions.size(), 22U);  // 2026..2036
  // A change of the year before that comes only in this one.
  const ruleset::Zone late = table("AAA0BBB,J200,J365/30");
  EXPECT_EQ(late.first_offset_s, kHour);
  ASSERT_FALSE(late.transitions.empty());
  EXPECT_EQ(late.transitions.front(), (ruleset::Zone::Transition{kSpan.from + 5 * kHour, 0}));
}

TEST(PosixZone, ContinuesOnlyBehindWhatIsKnown) {
  const auto rule = parse_posix_tz("CET-1CEST,M3.5.0,M10.5.0/3");
  const std::int64_t known = start_of_year(2030);
  TableWriter out(kSpan, 7 * kHour);
  append_changes(*rule, known, out);
  const auto zone = out.finish();
  ASSERT_TRUE(zone);
  EXPECT_EQ(zone->first_offset_s, 7 * kHour);
  EXPECT_EQ(zone->transitions.size(), 14U);  // 2030..2036
  EXPECT_GT(zone->transitions.front().at, known);
}

}  // namespace
}  // namespace sluice::zoneinfo
