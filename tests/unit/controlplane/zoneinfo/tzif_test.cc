#include "controlplane/zoneinfo/tzif.h"

#include "controlplane/zoneinfo/limits.h"
#include "tests/unit/controlplane/zoneinfo/tzif_parts.h"

namespace sluice::zoneinfo {
namespace {

constexpr std::int32_t kHour = 3600;
constexpr Span kSpan{1'000'000'000, 1'300'000'000};  // 2001-09-09 .. 2011-03-13

Result<ruleset::Zone> parse(const TzifParts& parts, Span span = kSpan) {
  const std::string bytes = parts.bytes();
  return parse_tzif(as_byte_view(bytes), span);
}

void expect_malformed(const TzifParts& parts, const char* what) {
  const auto zone = parse(parts);
  ASSERT_FALSE(zone) << what;
  EXPECT_EQ(zone.error().code, Errc::malformed) << what;
}

/// Three types, a change before the span and two within.
TzifParts sample() {
  TzifParts out;
  out.types = {{-600, 0, 0}, {kHour, 0, 0}, {2 * kHour, 1, 3}};
  out.changes = {{-2'000'000'000, 1}, {1'100'000'000, 2}, {1'200'000'000, 1}};
  return out;
}
const ruleset::Zone kSample{kHour, {{1'100'000'000, 2 * kHour}, {1'200'000'000, kHour}}};

TEST(Tzif, ReadsEveryVersion) {
  for (const char version : {'\0', '2', '3', '4', '5'}) {
    TzifParts parts = sample();
    parts.version = version;
    const auto zone = parse(parts);
    ASSERT_TRUE(zone) << int{version};
    EXPECT_EQ(*zone, kSample) << int{version};
  }
}

TEST(Tzif, TheFirstTypeHoldsBeforeTheFirstChange) {
  const auto zone = parse(sample(), {-2'100'000'000, -1'000'000'000});
  ASSERT_TRUE(zone);
  EXPECT_EQ(*zone, (ruleset::Zone{-600, {{-2'000'000'000, kHour}}}));
}

TEST(Tzif, MarksOfStandardAndUniversalTimeAreStepedOver) {
  TzifParts parts = sample();
  parts.isstd = parts.isut = 3;
  parts.footer = "\nCET-1\n";
  EXPECT_EQ(parse(parts), kSample);
}

TEST(Tzif, TheFooterGoesOnBehindTheLastChange) {
  TzifParts parts = sample();
  parts.footer = "\nCET-1CEST,J100/0,J300/0\n";
  const auto zone = parse(parts);
  ASSERT_TRUE(zone);
  ASSERT_EQ(zone->transitions.size(), 2U + 6);  // the last change is in January 2008
  EXPECT_EQ(zone->transitions[1], kSample.transitions[1]);
  // The 100th day but for 29 February is 10 April, here 2008 at midnight, one hour ahead of UTC.
  EXPECT_EQ(zone->transitions[2], (ruleset::Zone::Transition{1'207'785'600 - kHour, 2 * kHour}));
  for (std::size_t i = 1; i < zone->transitions.size(); ++i)
    EXPECT_LT(zone->transitions[i - 1].at, zone->transitions[i].at);
}

TEST(Tzif, WithoutChangesTheFooterTellsAll) {
  TzifParts parts;
  parts.types = {{-600, 0, 0}};
  parts.footer = "\n<+09>-9\n";
  EXPECT_EQ(parse(parts), (ruleset::Zone{9 * kHour, {}}));
  parts.footer = "\n\n";
  EXPECT_EQ(parse(parts), (ruleset::Zone{-600, {}}));
}

TEST(Tzif, NothingCountsBehindTheFooter) {
  TzifParts parts = sample();
  parts.footer = "\nCET-1\nand more";
  EXPECT_EQ(parse(parts), kSample);
}

TEST(Tzif, FilesThatCountLeapSecondsAreNotForUs) {
  for (const char version : {'\0', '4'}) {
    TzifParts parts = sample();
    parts.version = version;
    parts.leaps = {{78'796'800, 1}, {94'694'401, 2}};
    EXPECT_EQ(parse(parts).error().code, Errc::unsupported) << int{version};
  }
}

TEST(Tzif, EveryPrefixIsTruncated) {
  TzifParts parts = sample();
  parts.isstd = parts.isut = 3;
  parts.footer = "\nCET-1CEST,M3.5.0,M10.5.0/3\n";
  for (const char version : {'\0', '3'}) {
    parts.version = version;
    const std::string bytes = parts.bytes();
    ASSERT_TRUE(parse_tzif(as_byte_view(bytes), kSpan));
    for (std::size_t cut = 0; cut < bytes.size(); ++cut) {
      // A copy of its own, so that the sanitizer sees a read behind its end.
      const std::vector<char> part(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(cut));
      const auto zone = parse_tzif(as_byte_view({part.data(), part.size()}), kSpan);
      ASSERT_FALSE(zone) << cut;
      EXPECT_EQ(zone.error().code, Errc::truncated) << cut;
    }
  }
}

TEST(Tzif, RefusesWhatItIsNot) {
  EXPECT_EQ(parse_tzif(as_byte_view("# tz zone descriptions"), kSpan).error().code,
            Errc::malformed);
  TzifParts parts = sample();
  parts.version = '1';
  expect_malformed(parts, "version");
  parts = sample();
  parts.types.clear();
  expect_malformed(parts, "no types");
  parts.types.assign(257, {});
  expect_malformed(parts, "too many types");
  parts = sample();
  parts.names.clear();
  expect_malformed(parts, "no names");
  parts = sample();
  parts.isstd = 2;
  expect_malformed(parts, "marks of standard time");
  parts = sample();
  parts.isut = 4;
  expect_malformed(parts, "marks of universal time");
}

TEST(Tzif, RefusesImpossibleParts) {
  TzifParts parts = sample();
  parts.changes[2].second = 3;
  expect_malformed(parts, "a type that is not there");
  parts = sample();
  parts.changes[2].first = parts.changes[1].first;
  expect_malformed(parts, "two changes at once");
  parts = sample();
  std::swap(parts.changes[0].first, parts.changes[1].first);
  expect_malformed(parts, "changes out of order");
  for (const std::int32_t offset_s : {kDay_s, -kDay_s, INT32_MIN, INT32_MAX}) {
    parts = sample();
    parts.types[2].offset_s = offset_s;
    expect_malformed(parts, "an offset of a day");
  }
  parts = sample();
  parts.types[2].daylight = 2;
  expect_malformed(parts, "neither standard nor daylight time");
  parts = sample();
  parts.types[2].name = 4;
  expect_malformed(parts, "a name that is not there");
  for (const char* footer : {"x\n", "CET-1\n", "\nCET\n", "\nCET-1 \n", "\nCET-24\n"}) {
    parts = sample();
    parts.footer = footer;
    expect_malformed(parts, footer);
  }
}

TEST(Tzif, HugeCountsAskForMoreAndNoMemory) {
  for (const char version : {'\0', '2'}) {
    TzifParts parts = sample();
    parts.version = version;
    std::string bytes = parts.bytes();
    const std::size_t times = bytes.rfind("TZif") + 32;
    bytes.replace(times, 4, "\xff\xff\xff\xff");
    EXPECT_EQ(parse_tzif(as_byte_view(bytes), kSpan).error().code, Errc::truncated);
  }
}

TEST(Tzif, TooManyChangesWithinTheSpanAreRefused) {
  TzifParts parts = sample();
  parts.changes.clear();
  for (std::size_t i = 0; i <= kMaxTransitions; ++i)
    parts.changes.emplace_back(1'100'000'000 + static_cast<std::int64_t>(i), 1 + i % 2);
  EXPECT_EQ(parse(parts).error().code, Errc::too_large);
  // Before it they cost nothing.
  EXPECT_TRUE(parse(parts, {1'200'000'000, 1'300'000'000}));
}

}  // namespace
}  // namespace sluice::zoneinfo
