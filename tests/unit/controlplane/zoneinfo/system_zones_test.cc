// Every zone of this machine's database, as the C library reads it.
#include <spawn.h>
#include <sys/wait.h>

#include <filesystem>

#include "controlplane/zoneinfo/tzif.h"
#include "controlplane/zoneinfo/zone_reader.h"
#include "tests/support/scratch.h"
#include "tests/unit/controlplane/zoneinfo/libc_zone.h"

extern char** environ;

namespace sluice::zoneinfo {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kNow = 1'780'000'000;  // May 2026
const fs::path kDatabase = "/usr/share/zoneinfo";

/// What is special about the offsets of each: half and quarter hours, half an hour of daylight
/// time, daylight time that goes back, by the moon, two hours of it, none, changes at odd times.
constexpr const char* kChosen[] = {
    "Africa/Cairo",       "Africa/Casablanca", "Africa/Johannesburg", "America/Asuncion",
    "America/Caracas",    "America/Havana",    "America/Mexico_City", "America/New_York",
    "America/Nuuk",       "America/Santiago",  "America/Sao_Paulo",   "America/Scoresbysund",
    "America/St_Johns",   "Antarctica/Casey",  "Antarctica/Troll",    "Asia/Beirut",
    "Asia/Gaza",          "Asia/Jerusalem",    "Asia/Kathmandu",      "Asia/Kolkata",
    "Asia/Shanghai",      "Asia/Tehran",       "Asia/Tokyo",          "Atlantic/Azores",
    "Australia/Adelaide", "Australia/Eucla",   "Australia/Lord_Howe", "Australia/Sydney",
    "Europe/Berlin",      "Europe/Chisinau",   "Europe/Dublin",       "Europe/Istanbul",
    "Europe/London",      "Europe/Moscow",     "Pacific/Apia",        "Pacific/Auckland",
    "Pacific/Chatham",    "Pacific/Easter",    "Pacific/Kiritimati",  "Pacific/Marquesas",
    "Pacific/Norfolk",    "EST5EDT",           "Etc/GMT+12",          "Factory",
};

ZoneReader reader() {
  return ZoneReader(kNow, {{kDatabase}, "", "", std::nullopt});
}

bool is_zone_file(const fs::directory_entry& entry) {
  const auto name = entry.path().filename().string();
  return entry.is_regular_file() && name.find('.') == std::string::npos && name != "leapseconds" &&
         name != "localtime";
}

/// Names below `root`, without the databases inside it that count otherwise.
std::vector<std::string> zones_below(const fs::path& root) {
  std::vector<std::string> out;
  for (fs::recursive_directory_iterator it(root), end; it != end; ++it) {
    const auto name = it->path().lexically_relative(root).string();
    if (name == "right" || name == "posix") it.disable_recursion_pending();
    if (is_zone_file(*it)) out.push_back(name);
  }
  return out;
}

ruleset::Zone of_file(const fs::path& path) {
  const auto bytes = read_place(path, std::size_t{1} << 20U);
  EXPECT_TRUE(bytes) << path;
  if (!bytes) return {};
  const auto zone = parse_tzif(as_byte_view(*bytes), span_around(kNow));
  EXPECT_TRUE(zone) << path;
  return zone ? *zone : ruleset::Zone{};
}

class SystemZones : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(fs::exists(kDatabase / "Europe/Berlin")) << "install tzdata";
  }
};

TEST_F(SystemZones, ChosenOnesAreWhatTheCLibrarySays) {
  const ZoneReader zones = reader();
  for (const std::string name : kChosen) {
    const auto zone = zones.find(name);
    ASSERT_TRUE(zone) << zone.error();
    EXPECT_EQ(first_difference(*zone, ":" + name, span_around(kNow)), std::nullopt) << name;
  }
}

TEST_F(SystemZones, AllAreWhatTheCLibrarySays) {
  const std::vector<std::string> names = zones_below(kDatabase);
  EXPECT_GE(names.size(), std::size(kChosen));
  for (const std::string& name : names) {
    const ruleset::Zone zone = of_file(kDatabase / name);
    EXPECT_EQ(first_difference(zone, ":" + name, span_around(kNow)), std::nullopt) << name;
  }
}

TEST_F(SystemZones, TablesAreSmall) {
  for (const std::string& name : zones_below(kDatabase))
    EXPECT_LE(of_file(kDatabase / name).transitions.size(), 48U) << name;
}

TEST_F(SystemZones, FilesThatCountLeapSecondsAreRefused) {
  if (!fs::exists(kDatabase / "right/Europe/Berlin")) GTEST_SKIP() << "no such files here";
  const auto zone = reader().find("right/Europe/Berlin");
  ASSERT_FALSE(zone);
  EXPECT_NE(zone.error().find("counts leap seconds"), std::string::npos);
}

TEST_F(SystemZones, EveryPrefixOfAFileIsTruncated) {
  const auto bytes = read_place(kDatabase / "Europe/Berlin", std::size_t{1} << 20U);
  ASSERT_TRUE(bytes);
  for (std::size_t cut = 0; cut < bytes->size(); ++cut) {
    const std::vector<char> part(bytes->begin(), bytes->begin() + static_cast<std::ptrdiff_t>(cut));
    const auto zone = parse_tzif(as_byte_view({part.data(), part.size()}), span_around(kNow));
    ASSERT_FALSE(zone) << cut;
    ASSERT_EQ(zone.error().code, Errc::truncated) << cut;
  }
}

/// The zone compiler, where the machine has one.
bool compile_zones(const std::string& bloat, const std::string& to) {
  const std::string source = kDatabase / "tzdata.zi";
  std::vector<std::string> words{"zic", "-b", bloat, "-d", to, source};
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  for (const char* program : {"/usr/sbin/zic", "/usr/bin/zic"}) {
    pid_t child = 0;
    int status = -1;
    if (::posix_spawn(&child, program, nullptr, nullptr, argv.data(), environ) == 0 &&
        ::waitpid(child, &status, 0) == child && status == 0)
      return true;
  }
  return false;
}

TEST_F(SystemZones, SlimAndFatFilesGiveTheSameTables) {
  const test::Scratch scratch;
  ASSERT_TRUE(compile_zones("slim", scratch.path("slim"))) << "install tzdata and libc-bin";
  ASSERT_TRUE(compile_zones("fat", scratch.path("fat")));
  EXPECT_LT(fs::file_size(scratch.path("slim/Europe/Berlin")),
            fs::file_size(scratch.path("fat/Europe/Berlin")));
  for (const std::string& name : zones_below(scratch.path("slim"))) {
    const ruleset::Zone slim = of_file(scratch.path("slim/" + name));
    EXPECT_EQ(slim, of_file(scratch.path("fat/" + name))) << name;
    EXPECT_EQ(first_difference(slim, ":" + scratch.path("slim/" + name), span_around(kNow)),
              std::nullopt)
        << name;
  }
}

}  // namespace
}  // namespace sluice::zoneinfo
