#include "controlplane/zoneinfo/zone_reader.h"

#include <sys/stat.h>

#include "tests/support/scratch.h"
#include "tests/unit/controlplane/zoneinfo/libc_zone.h"
#include "tests/unit/controlplane/zoneinfo/tzif_parts.h"

namespace sluice::zoneinfo {
namespace {

constexpr std::int64_t kNow = 1'780'000'000;  // May 2026
constexpr std::int32_t kHour = 3600;

std::string fixed_file(std::int32_t offset_s) {
  TzifParts parts;
  parts.types[0].offset_s = offset_s;
  return parts.bytes();
}

/// A system: two databases, and files of its own once they are put there.
class ZoneReaderTest : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* directory : {"one", "two", "one/Land"})
      ASSERT_EQ(::mkdir(scratch_.path(directory).c_str(), 0755), 0);
    scratch_.put("one/Land/Town", fixed_file(kHour));
    scratch_.put("two/Other", fixed_file(2 * kHour));
    scratch_.put("one/Both", fixed_file(3 * kHour));
    scratch_.put("two/Both", fixed_file(4 * kHour));
    scratch_.put("one/Broken", fixed_file(kHour).substr(0, 60));
    scratch_.put("secret", fixed_file(5 * kHour));
    places_ = {{scratch_.path("one"), scratch_.path("two")},
               scratch_.path("TZ"),
               scratch_.path("localtime"),
               std::nullopt};
  }
  [[nodiscard]] ZoneReader::Found find(std::string_view name) const {
    return ZoneReader(kNow, places_).find(name);
  }
  [[nodiscard]] std::string why(std::string_view name) const {
    const auto found = find(name);
    EXPECT_FALSE(found) << name;
    return found ? "" : found.error();
  }
  /// The offset of a zone without changes.
  [[nodiscard]] std::int32_t offset(std::string_view name) const {
    const auto found = find(name);
    EXPECT_TRUE(found) << found.error();
    EXPECT_TRUE(found && found->transitions.empty());
    return found ? found->first_offset_s : -1;
  }

  test::Scratch scratch_;
  Places places_;
};

TEST_F(ZoneReaderTest, NamesComeFromTheFirstDatabaseThatHasThem) {
  EXPECT_EQ(offset("Land/Town"), kHour);
  EXPECT_EQ(offset("Other"), 2 * kHour);
  EXPECT_EQ(offset("Both"), 3 * kHour);
}

TEST_F(ZoneReaderTest, UtcAndOffsetsNeedNoDatabase) {
  places_.databases.clear();
  EXPECT_EQ(offset("UTC"), 0);
  EXPECT_EQ(offset("+05:30"), 5 * kHour + 1800);
  EXPECT_EQ(offset("-00:45"), -2700);
  EXPECT_EQ(offset("+00:00"), 0);
  for (const char* text : {"+5:30", "+05:60", "+24:00", "+0530", "-", "+", "+05:3x", "+05:300"})
    EXPECT_NE(why(text).find("offset"), std::string::npos) << text;
}

TEST_F(ZoneReaderTest, NoNameLeadsOutOfTheDatabase) {
  for (const std::string& name :
       {std::string("../secret"), std::string("Land/../../secret"), scratch_.path("secret"),
        std::string("/etc/localtime"), std::string("Land//Town"), std::string("Land/"),
        std::string("."), std::string("Land/Town\0", 10), std::string("zone.tab"),
        std::string(65, 'a')})
    EXPECT_NE(why(name).find("is no name of a time zone"), std::string::npos) << name;
}

TEST_F(ZoneReaderTest, SaysWhyThereIsNone) {
  EXPECT_NE(why("Land/Village").find("this system has no time zone `Land/Village` (looked in "),
            std::string::npos);
  EXPECT_NE(why("Land").find("this system has no time zone `Land`"), std::string::npos);
  EXPECT_NE(why("Both/Town").find("this system has no time zone"), std::string::npos);
  EXPECT_NE(why("Broken").find(scratch_.path("one/Broken") + " is no usable time zone file: "),
            std::string::npos);
  scratch_.put("one/Big", std::string(100'000, 'x'));
  EXPECT_NE(why("Big").find("cannot read "), std::string::npos);
}

TEST_F(ZoneReaderTest, WhatCannotBeHadIsUtcAndAWarning) {
  ZoneReader zones(kNow, places_);
  EXPECT_EQ(zones.zone("Land/Town").first_offset_s, kHour);
  EXPECT_TRUE(zones.warnings().empty());
  EXPECT_EQ(zones.zone("Nowhere"), ruleset::Zone{});
  EXPECT_EQ(zones.zone("Broken"), ruleset::Zone{});
  ASSERT_EQ(zones.warnings().size(), 2U);
  EXPECT_TRUE(zones.warnings()[0].ends_with("; UTC is used"));
  EXPECT_NE(zones.warnings()[0].find("Nowhere"), std::string::npos);
  EXPECT_NE(zones.warnings()[1].find("Broken"), std::string::npos);
}

TEST_F(ZoneReaderTest, ASystemWithoutAnyZoneRunsOnUtc) {
  EXPECT_EQ(offset(""), 0);
}

TEST_F(ZoneReaderTest, TheSystemsZoneIsItsLocalFile) {
  scratch_.put("localtime", fixed_file(6 * kHour));
  EXPECT_EQ(offset(""), 6 * kHour);
  scratch_.put("localtime", "nonsense");
  EXPECT_NE(why("").find("is no usable time zone file"), std::string::npos);
}

TEST_F(ZoneReaderTest, TheRuleFileComesBeforeTheLocalFile) {
  scratch_.put("localtime", fixed_file(6 * kHour));
  for (const char* text : {"", "\n", " \nJST-9\n"}) {
    scratch_.put("TZ", text);
    EXPECT_EQ(offset(""), 6 * kHour) << text;
  }
  scratch_.put("TZ", "<+0530>-5:30\n");
  EXPECT_EQ(offset(""), 5 * kHour + 1800);
  scratch_.put("TZ", "UTC\n");
  EXPECT_EQ(offset(""), 0);
  scratch_.put("TZ", "Land/Town\r\n");
  EXPECT_EQ(offset(""), kHour);
  scratch_.put("TZ", "CET-1CEST,M3.5.0,M10.5.0/3");
  const auto rule = find("");
  ASSERT_TRUE(rule);
  EXPECT_EQ(rule->first_offset_s, kHour);
  EXPECT_EQ(rule->transitions.size(), 22U);  // 2026..2036
  scratch_.put("TZ", "Land/Village\n");
  EXPECT_NE(why("").find(places_.rule_file + " says `Land/Village`"), std::string::npos);
  scratch_.put("TZ", std::string(1000, 'A'));
  EXPECT_NE(why("").find("cannot read " + places_.rule_file), std::string::npos);
}

TEST_F(ZoneReaderTest, TheEnvironmentComesFirst) {
  scratch_.put("localtime", fixed_file(6 * kHour));
  scratch_.put("TZ", "JST-9\n");
  places_.variable = "";
  EXPECT_EQ(offset(""), 0);
  for (const char* text : {"Land/Town", ":Land/Town", "XYZ-1"}) {
    places_.variable = text;
    EXPECT_EQ(offset(""), kHour) << text;
  }
  places_.variable = ":" + scratch_.path("secret");
  EXPECT_EQ(offset(""), 5 * kHour);
  places_.variable = scratch_.path("missing");
  EXPECT_NE(why("").find("TZ in the environment says `"), std::string::npos);
  places_.variable = "\x1b[31m";
  EXPECT_NE(why("").find("says `?[31m`"), std::string::npos);
}

TEST_F(ZoneReaderTest, ANameThatIsARuleTooIsTheFile) {
  places_.variable = "EST5";
  EXPECT_EQ(offset(""), -5 * kHour);
  scratch_.put("one/EST5", fixed_file(kHour));
  EXPECT_EQ(offset(""), kHour);
}

TEST(Places, FollowTheEnvironment) {
  const Variable directory("TZDIR", "/opt/zones");
  const Variable zone("TZ", "JST-9");
  EXPECT_EQ(system_places().databases.front(), "/opt/zones");
  EXPECT_EQ(system_places().variable, "JST-9");
  const Variable relative("TZDIR", "zones");
  const Variable unset("TZ", nullptr);
  EXPECT_EQ(system_places().databases.front(), "/usr/share/zoneinfo");
  EXPECT_EQ(system_places().variable, std::nullopt);
}

TEST(Places, OnlyRegularFilesAreRead) {
  const test::Scratch scratch;
  ASSERT_EQ(::mkfifo(scratch.path("pipe").c_str(), 0600), 0);
  EXPECT_EQ(read_place(scratch.path("pipe"), 10).error().code, Errc::not_found);
  EXPECT_EQ(read_place(scratch.path(), 10).error().code, Errc::not_found);
  EXPECT_EQ(read_place(scratch.path("missing"), 10).error().code, Errc::not_found);
  EXPECT_EQ(read_place(scratch.put("file", "x") + "/below", 10).error().code, Errc::not_found);
  EXPECT_EQ(read_place(scratch.path("file"), 10), "x");
  scratch.put("file", "12345678901");
  EXPECT_EQ(read_place(scratch.path("file"), 10).error().code, Errc::too_large);
}

}  // namespace
}  // namespace sluice::zoneinfo
