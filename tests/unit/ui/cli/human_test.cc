#include "ui/cli/human.h"

#include <gtest/gtest.h>

namespace sluice::cli {
namespace {

TEST(Human, BytesHaveAtMostFourDigits) {
  EXPECT_EQ(human_bytes(0), "0 B");
  EXPECT_EQ(human_bytes(1023), "1023 B");
  EXPECT_EQ(human_bytes(1024), "1.0 KiB");
  EXPECT_EQ(human_bytes(1536), "1.5 KiB");
  EXPECT_EQ(human_bytes((1U << 20) - 1), "1.0 MiB") << "never 1024.0 KiB";
  EXPECT_EQ(human_bytes(12'900'000), "12.3 MiB");
  EXPECT_EQ(human_bytes(UINT64_MAX), "16.0 EiB");
}

TEST(Human, RatesArePerSecond) {
  EXPECT_EQ(human_rate(2048, 1000), "2.0 KiB/s");
  EXPECT_EQ(human_rate(2048, 2000), "1.0 KiB/s");
  EXPECT_EQ(human_rate(2048, 0), "0 B/s");
}

TEST(Human, SpansHaveTwoParts) {
  EXPECT_EQ(human_span(-5), "0s");
  EXPECT_EQ(human_span(59'999), "59s");
  EXPECT_EQ(human_span(60'000), "1m00s");
  EXPECT_EQ(human_span(245'000), "4m05s");
  EXPECT_EQ(human_span(7'980'000), "2h13m");
  EXPECT_EQ(human_span(273'600'000), "3d04h");
}

TEST(Human, MomentsAreRfc3339) {
  EXPECT_EQ(rfc3339(0), "1970-01-01T00:00:00.000Z");
  EXPECT_EQ(rfc3339(1'700'000'000'123), "2023-11-14T22:13:20.123Z");
  EXPECT_EQ(rfc3339(-1), "1969-12-31T23:59:59.999Z");
}

TEST(Human, ParsesSpansUpToADay) {
  EXPECT_EQ(parse_span("60s"), 60u);
  EXPECT_EQ(parse_span("60"), 60u);
  EXPECT_EQ(parse_span("5m"), 300u);
  EXPECT_EQ(parse_span("2h"), 7200u);
  EXPECT_EQ(parse_span("1d"), 86'400u);
  EXPECT_EQ(parse_span("24h"), 86'400u);
  for (const char* bad :
       {"", "s", "0s", "-1s", "1.5m", "60 s", "60sec", "25h", "86401", "2d", "ms"})
    EXPECT_FALSE(parse_span(bad)) << bad;
}

TEST(Human, CountsHaveAPlural) {
  EXPECT_EQ(counted(0, "flow"), "0 flows");
  EXPECT_EQ(counted(1, "flow"), "1 flow");
  EXPECT_EQ(counted(2, "flow"), "2 flows");
}

}  // namespace
}  // namespace sluice::cli
