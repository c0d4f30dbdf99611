// History, gaps, migration and the two places of stats.db, by a clock that is stepped by hand.
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <future>
#include <memory>
#include <optional>

#include "controlplane/stats/bounds.h"
#include "controlplane/stats/stats_store.h"
#include "controlplane/stats/storage.h"
#include "tests/unit/controlplane/stats/scratch.h"

namespace sluice::stats {
namespace {

using test::Scratch;

constexpr std::int64_t kHour = 3'600'000;
constexpr std::int64_t kDay = 24 * kHour;
// 2026-03-29T00:30:00Z: an hour later clocks in Europe are put forward.
constexpr std::int64_t kStart = 1'774'744'200'000;
std::int64_t now_ms = kStart;

std::int64_t stepped() {
  return now_ms;
}

class StatsHistory : public testing::Test {
 protected:
  StatsHistory() { now_ms = kStart; }
  ~StatsHistory() override { close(); }

  void open(Settings settings = {}, bool with_memory = false) {
    close();
    writer_.emplace();
    store_.emplace(StatsFiles{disk(), with_memory ? memory() : std::string()}, *writer_, kMaxKeys,
                   stepped);
    configure(settings);
  }
  void close() {
    if (writer_) writer_->stop();
    store_.reset();
    writer_.reset();
  }
  void configure(const Settings& settings) { ASSERT_TRUE(store_->configure(settings)); }
  void count(const std::string& host, std::uint64_t up, std::uint64_t down = 0,
             const char* client = "192.168.1.9") {
    contract::CounterDelta delta;
    delta.key = {*IpAddress::parse(client), "DIRECT", "Match", host, "", Network::udp};
    delta.upload = up;
    delta.download = down;
    delta.flows = 1;
    commit({epoch_, ++sequence_, {delta}});
  }
  void commit(contract::CounterBatch batch) {
    std::promise<Status> done;
    ASSERT_TRUE(
        store_->commit(std::move(batch), [&](const Status& outcome) { done.set_value(outcome); }));
    ASSERT_TRUE(done.get_future().get());
  }
  Report read(Query query) {
    std::promise<Result<Report>> done;
    EXPECT_TRUE(store_->read(query, [&](Result<Report> r) { done.set_value(std::move(r)); }));
    auto report = done.get_future().get();
    EXPECT_TRUE(report);
    return report ? *report : Report{};
  }
  [[nodiscard]] std::string disk() const { return scratch_.path("stats.db"); }
  [[nodiscard]] std::string memory() const { return scratch_.path("run-stats.db"); }

  Scratch scratch_;
  std::uint64_t epoch_ = 7;
  std::uint64_t sequence_ = 0;
  std::optional<Writer> writer_;
  std::optional<StatsStore> store_;
};

TEST_F(StatsHistory, HoursAreOfUtcAndNoneIsMissingWhenClocksChange) {
  open();
  for (int hour = 0; hour < 26; ++hour, now_ms += kHour) count("a.test", 1, 10);
  const Report by_hour = read({.by = By::hour, .since_wall_ms = kStart});
  ASSERT_EQ(by_hour.rows.size(), 26U);
  for (std::size_t i = 1; i < by_hour.rows.size(); ++i)
    EXPECT_EQ(std::stoll(by_hour.rows[i].key) - std::stoll(by_hour.rows[i - 1].key), 3600);
  EXPECT_EQ(by_hour.upload, 26U);
  EXPECT_EQ(by_hour.download, 260U);
  EXPECT_EQ(read({.by = By::host, .since_wall_ms = kStart + 20 * kHour}).upload, 6U);
  EXPECT_EQ(read({.by = By::network, .since_wall_ms = kStart}).rows.at(0).key, "udp");
}

TEST_F(StatsHistory, OldHoursBecomeDaysAndEveryByteStaysInOneRow) {
  open({.keep_hours = 24});
  for (int hour = 0; hour < 5 * 24; ++hour, now_ms += kHour) count("a.test", 1);
  count("a.test", 1);
  const Report all = read({.by = By::hour, .since_wall_ms = 1});
  EXPECT_EQ(all.upload, 5U * 24 + 1);
  EXPECT_LT(all.rows.size(), 60U) << "hours of three days and days of the rest";
  EXPECT_EQ(std::stoll(all.rows.front().key) % 86'400, 0) << "the oldest is a day";
  EXPECT_EQ(all.rows.front().upload, 24U) << "00:30 to 23:30";
}

TEST_F(StatsHistory, DaysBeyondTheirNumberGoAndTotalsStay) {
  open({.keep_hours = 24, .keep_days = 3});
  for (int day = 0; day < 10; ++day, now_ms += kDay) count("a.test", 1);
  EXPECT_LE(read({.by = By::host, .since_wall_ms = 1}).upload, 4U);
  EXPECT_EQ(read({.by = By::host}).upload, 10U) << "of all time";
}

TEST_F(StatsHistory, OfAnHourThatEndedTheTopHostsStayAndTheRestIsOther) {
  open({.top_hosts = 3});
  for (int i = 1; i <= 10; ++i) count("host-" + std::to_string(i) + ".test", 0, 100 * i);
  EXPECT_EQ(read({.by = By::host, .since_wall_ms = kStart}).rows.size(), 10U) << "it runs";
  now_ms += kHour;
  count("host-1.test", 0, 1);
  const Report report = read({.by = By::host, .since_wall_ms = kStart});
  ASSERT_EQ(report.rows.size(), 5U);
  EXPECT_EQ(report.rows[0], (Row{"other", 0, 2800, 7}));
  EXPECT_EQ(report.rows[1].key, "host-10.test");
  EXPECT_EQ(report.rows[4], (Row{"host-1.test", 0, 1, 1})) << "of the new hour";
  EXPECT_EQ(report.download, 5501U);
}

TEST_F(StatsHistory, TheHourThatRunsIsBoundedToo) {
  open();
  contract::CounterBatch batch{epoch_, ++sequence_, {}};
  for (std::size_t i = 0; i < kHostsPerHour + 500; ++i) {
    contract::CounterDelta delta;
    delta.key.host = "h" + std::to_string(i);
    delta.upload = 1;
    batch.deltas.push_back(delta);
  }
  commit(std::move(batch));
  const Report report = read({.by = By::host, .since_wall_ms = kStart});
  EXPECT_EQ(report.rows.size(), kHostsPerHour + 1);
  EXPECT_EQ(report.rows[0], (Row{"other", 500, 0, 0}));
  EXPECT_EQ(report.upload, kHostsPerHour + 500);
}

TEST_F(StatsHistory, AClockThatJumpsBackCountsInTheHourItNames) {
  open();
  count("a.test", 1);
  now_ms -= 3 * kHour;
  count("a.test", 2);
  now_ms += 3 * kHour;
  count("a.test", 4);
  const Report report = read({.by = By::hour, .since_wall_ms = 1});
  ASSERT_EQ(report.rows.size(), 2U);
  EXPECT_EQ(report.rows[0].upload, 2U);
  EXPECT_EQ(report.rows[1].upload, 5U);
}

TEST_F(StatsHistory, TheSizeIsBoundedAndTheOldestGoesFirst) {
  const Settings settings{.top_hosts = 1000, .max_size = 1U << 20U};
  open(settings);
  for (int hour = 0; hour < 40; ++hour, now_ms += kHour) {
    contract::CounterBatch batch{epoch_, ++sequence_, {}};
    for (int i = 0; i < 1000; ++i) {
      contract::CounterDelta delta;
      delta.key.host = "a-host-of-hour-" + std::to_string(hour) + "-" + std::to_string(i) + ".test";
      delta.upload = 1;
      batch.deltas.push_back(delta);
    }
    commit(std::move(batch));
  }
  const Report report = read({.by = By::hour, .since_wall_ms = 1});
  EXPECT_LT(report.rows.size(), 30U);
  EXPECT_GT(report.rows.size(), 2U);
  EXPECT_EQ(std::stoll(report.rows.back().key), (now_ms - kHour) / kHour * 3600)
      << "the newest stays";
  close();
  EXPECT_LT(std::filesystem::file_size(disk()), 2U << 20U);
}

TEST_F(StatsHistory, RowsBelowTheLimitAreAddedUnderOther) {
  open();
  for (int i = 1; i <= 10; ++i) count("host-" + std::to_string(i) + ".test", 100 * i);
  const Report report = read({.by = By::host, .limit = 3});
  ASSERT_EQ(report.rows.size(), 3U);
  EXPECT_EQ(report.rows[2], (Row{"other", 3600, 0, 8}));
  EXPECT_EQ(report.upload, 5500U);
}

TEST_F(StatsHistory, ADataPlaneThatDiedLeavesAGapAndOneThatStoppedDoesNot) {
  open();
  ASSERT_TRUE(store_->life_began(7, kStart));
  count("a.test", 1);
  commit({epoch_, ++sequence_, {}, true});
  ASSERT_TRUE(store_->life_ended(now_ms += 5000));
  ASSERT_TRUE(store_->life_began(8, now_ms += 1000));
  EXPECT_TRUE(read({}).gaps.empty());
  epoch_ = 8;
  sequence_ = 0;
  count("a.test", 1);
  const std::int64_t died = now_ms += 60'000;
  ASSERT_TRUE(store_->life_ended(died));
  ASSERT_TRUE(store_->life_began(9, now_ms += 2000));
  const std::vector<Gap> expected{{died - 1000, died + 2000}};
  EXPECT_EQ(read({}).gaps, expected);
  ASSERT_TRUE(store_->life_began(9, now_ms += 2000));
  EXPECT_EQ(read({}).gaps, expected) << "the same life, connected again";
  EXPECT_TRUE(read({.since_wall_ms = now_ms + 1}).gaps.empty());
}

TEST_F(StatsHistory, AGapIsFoundByACommitWhenNobodySaidThatALifeBegan) {
  open();
  count("a.test", 1);
  epoch_ = 9;
  sequence_ = 0;
  now_ms += 10'000;
  count("a.test", 2);
  EXPECT_EQ(read({}).gaps, (std::vector<Gap>{{kStart, kStart + 10'000}}));
  EXPECT_EQ(read({}).upload, 3U);
}

TEST_F(StatsHistory, TheFormerSchemaIsBroughtUpToDateAndKeepsItsTotals) {
  {
    auto old = Database::open(disk());
    ASSERT_TRUE(old);
    ASSERT_TRUE(old->execute(
        "CREATE TABLE numbers(key TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;"
        "CREATE TABLE bindings(position INTEGER PRIMARY KEY AUTOINCREMENT,"
        " address BLOB NOT NULL UNIQUE, name TEXT NOT NULL, last_good BLOB NOT NULL);"
        "CREATE TABLE totals(kind INTEGER, key TEXT, upload INTEGER NOT NULL,"
        " download INTEGER NOT NULL, flows INTEGER NOT NULL, PRIMARY KEY(kind, key)) WITHOUT ROWID;"
        "INSERT INTO totals VALUES(3, 'old.test', 5, 6, 1);"
        "INSERT INTO numbers VALUES('epoch', 7), ('sequence', 41);"
        "PRAGMA user_version=1;"));
  }
  open();
  EXPECT_EQ(scratch_.damaged_count(), 0);
  EXPECT_EQ(store_->cursor().sequence, 41U);
  EXPECT_EQ(read({.by = By::host}).rows, (std::vector<Row>{{"old.test", 5, 6, 1}}));
  sequence_ = 41;
  count("old.test", 1);
  EXPECT_EQ(read({.by = By::host}).upload, 6U);
  EXPECT_EQ(read({.by = By::host, .since_wall_ms = 1}).upload, 1U);
}

TEST_F(StatsHistory, InMemoryItIsCopiedOutEachHourAndFoundAgainAfterADeath) {
  open({.storage = Storage::memory}, true);
  count("a.test", 1);
  ASSERT_TRUE(std::filesystem::exists(memory()));
  const auto on_disk = [&] {
    std::filesystem::copy_file(disk(), scratch_.path("look.db"),
                               std::filesystem::copy_options::overwrite_existing);
    auto database = Database::open(scratch_.path("look.db"));
    auto rows = database->prepare("SELECT coalesce(sum(upload), 0) FROM totals WHERE kind=0");
    return rows && rows->step() ? rows->number(0) : -1;
  };
  EXPECT_EQ(on_disk(), 0);
  now_ms += kHour;
  count("a.test", 2);
  EXPECT_EQ(on_disk(), 3);
  count("a.test", 4);
  close();  // as a death would: nothing is copied
  EXPECT_EQ(on_disk(), 3);
  open({.storage = Storage::memory}, true);
  EXPECT_EQ(read({}).upload, 7U);
  ASSERT_TRUE(store_->copy_out());
  close();
  EXPECT_EQ(on_disk(), 7);
  open({.storage = Storage::disk}, true);
  count("a.test", 8);
  EXPECT_FALSE(std::filesystem::exists(memory()));
  EXPECT_EQ(read({}).upload, 15U);
}

TEST(Storage, FindsTheUpperLayerOfTheOverlayThatHoldsADirectory) {
  const std::string mounts =
      "20 1 0:18 / / rw,noatime - overlay overlayfs:/overlay rw,lowerdir=/,upperdir=/overlay/up\n"
      "21 20 0:19 / /tmp rw - tmpfs tmpfs rw\n"
      "22 20 31:6 / /overlay rw - jffs2 /dev/mtdblock6 rw\n";
  EXPECT_EQ(upper_of_overlay(mounts, "/var/lib/sluice"), "/overlay/up");
  EXPECT_EQ(upper_of_overlay(mounts, "/tmp/sluice"), "");
  EXPECT_EQ(upper_of_overlay(mounts, "/tmpfile"), "/overlay/up");
  EXPECT_TRUE(is_flash_type(0x24051905));
  EXPECT_FALSE(is_flash_type(0xef53));
}

}  // namespace
}  // namespace sluice::stats
