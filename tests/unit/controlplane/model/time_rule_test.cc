#include <gtest/gtest.h>

#include "controlplane/model/parse_rule.h"

namespace sluice::model {
namespace {

std::optional<TimeTable> table(const std::string& payload) {
  const auto rule = parse_rule("TIME," + payload, RuleContext::rule_set);
  if (!rule) return std::nullopt;
  return std::get<TimeTable>(rule->condition.atom.payload);
}

TimeTable good(const std::string& payload) {
  const auto out = table(payload);
  EXPECT_TRUE(out) << payload;
  return out.value_or(TimeTable());
}

constexpr std::uint8_t kSun = 1, kMon = 2, kTue = 4, kWed = 8, kThu = 16, kFri = 32, kSat = 64;

TEST(TimeRule, DaysHoursAndZone) {
  const TimeTable work = good("mon-fri 08:00-18:00 Europe/Berlin");
  EXPECT_EQ(work.hours, (std::vector<DayHours>{{kMon | kTue | kWed | kThu | kFri, 480, 1080}}));
  EXPECT_EQ(work.zone, "Europe/Berlin");
  EXPECT_EQ(good("SAT 8:05-9:00").hours, (std::vector<DayHours>{{kSat, 485, 540}}));
  EXPECT_EQ(good("SAT 8:05-9:00").zone, "");
  EXPECT_EQ(good("mon+wed+sat-sun 00:00-24:00").hours,
            (std::vector<DayHours>{{kMon | kWed | kSat | kSun, 0, 1440}}));
  EXPECT_EQ(good("daily 12:00-13:00 UTC").hours[0].weekdays, 0x7f);
  EXPECT_EQ(good("daily 12:00-13:00 +05:30").zone, "+05:30");
}

TEST(TimeRule, OverMidnightAndOverTheWeekend) {
  EXPECT_EQ(good("fri 22:00-06:00").hours, (std::vector<DayHours>{{kFri, 1320, 360}}));
  EXPECT_EQ(good("sat-mon 08:00-09:00").hours[0].weekdays, kSat | kSun | kMon);
}

TEST(TimeRule, SeveralWithOneZoneBehindAll) {
  const TimeTable t = good("mon-thu 22:00-06:00 / fri+sat 23:30-07:00 America/Argentina/Salta");
  EXPECT_EQ(t.hours.size(), 2U);
  EXPECT_EQ(t.hours[1], (DayHours{kFri | kSat, 1410, 420}));
  EXPECT_EQ(t.zone, "America/Argentina/Salta");
}

TEST(TimeRule, WhatIsNoTimeIsRefused) {
  for (const char* payload : {"08:00-18:00",
                              "mon",
                              "mon 08:00",
                              "mon 08:00-08:00",
                              "mon 24:00-06:00",
                              "mon 08:00-00:00",
                              "mon 08:60-09:00",
                              "mon 08:00-25:00",
                              "mon 08:00-24:01",
                              "mo 08:00-09:00",
                              "mon- 08:00-09:00",
                              "mon+ 08:00-09:00",
                              "mon 8-9",
                              "mon 08:00-09:00/",
                              "mon 08:00-09:00 ../etc/passwd",
                              "mon 08:00-09:00 /etc/passwd",
                              "mon 08:00-09:00 Europe/",
                              "mon 08:00-09:00 Europe//Berlin",
                              "mon 08:00-09:00 Europe/Berlin/tue 08:00-09:00",
                              "mon 08:00-09:00 +15:00",
                              "mon 08:00-09:00 +5"})
    EXPECT_FALSE(table(payload)) << payload;
  std::string many = "mon 08:00-09:00";
  for (int i = 1; i < 28; ++i) many += "/mon 08:00-09:00";
  EXPECT_TRUE(table(many));
  EXPECT_FALSE(table(many + "/mon 08:00-09:00"));
}

}  // namespace
}  // namespace sluice::model
