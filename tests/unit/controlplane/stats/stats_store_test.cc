#include "controlplane/stats/stats_store.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include <future>
#include <memory>
#include <numeric>
#include <optional>

#include "controlplane/stats/bounds.h"
#include "controlplane/stats/database.h"
#include "tests/unit/controlplane/stats/scratch.h"

namespace sluice::stats {
namespace {

using test::Scratch;

IpAddress ip(const char* text) {
  return *IpAddress::parse(text);
}

struct Total {
  std::string key;
  std::uint64_t upload = 0;
  std::uint64_t download = 0;
  std::uint64_t flows = 0;
  friend bool operator==(const Total&, const Total&) = default;
};

/// As docs/formats/databases.md says; nothing of a file that is none.
std::vector<Total> read_totals(const std::string& path, TotalKind kind) {
  std::vector<Total> out;
  auto database = Database::open(path);
  if (!database) return out;
  auto rows = database->prepare(
      "SELECT key, upload, download, flows FROM totals WHERE kind=?1"
      " ORDER BY upload+download DESC, key");
  if (!rows) return out;
  rows->bind(1, static_cast<std::int64_t>(kind));
  for (auto more = rows->step(); more && *more; more = rows->step())
    out.push_back({std::string(rows->text(0)), static_cast<std::uint64_t>(rows->number(1)),
                   static_cast<std::uint64_t>(rows->number(2)),
                   static_cast<std::uint64_t>(rows->number(3))});
  return out;
}

/// Store and writer with calls that wait for their outcome.
class Opened {
 public:
  explicit Opened(const std::string& path, std::size_t max_keys = kMaxKeys)
      : path_(path),
        writer_(std::make_unique<Writer>()),
        store(std::in_place, StatsFiles{path, {}}, *writer_, max_keys) {}
  ~Opened() { close(); }

  Status commit(contract::CounterBatch batch) {
    return wait([&](StatsStore::Done done) { return store->commit(std::move(batch), done); });
  }
  Status save(BindingWrite write) {
    return wait(
        [&](StatsStore::Done done) { return store->save_bindings(std::move(write), done); });
  }
  Status clear() {
    return wait([&](StatsStore::Done done) { return store->clear_bindings(done); });
  }
  /// What the file says in the end, largest first: nobody else may read it while it is open.
  std::vector<Total> totals(TotalKind kind) {
    close();
    return read_totals(path_, kind);
  }

 private:
  Status wait(const std::function<Status(StatsStore::Done)>& call) {
    auto promise = std::make_shared<std::promise<Status>>();
    const Status taken = call([promise](const Status& outcome) { promise->set_value(outcome); });
    return taken ? promise->get_future().get() : taken;
  }
  void close() {
    writer_->stop();
    store.reset();
  }
  std::string path_;
  std::unique_ptr<Writer> writer_;

 public:
  std::optional<StatsStore> store;
};

contract::CounterDelta delta(const char* host, std::uint64_t upload, std::uint64_t download = 0) {
  contract::CounterDelta out;
  out.key = {ip("192.168.1.9"), "DIRECT", "Match,", host, "", Network::tcp};
  out.upload = upload;
  out.download = download;
  out.flows = 1;
  return out;
}

TEST(StatsStore, DeltasAddUpByEveryKey) {
  const Scratch scratch;
  Opened opened(scratch.path("stats.db"));
  ASSERT_TRUE(opened.commit({7, 1, {delta("a.test", 10, 100), delta("b.test", 1)}}));
  ASSERT_TRUE(opened.commit({7, 2, {delta("a.test", 5)}}));
  EXPECT_EQ(opened.totals(TotalKind::host),
            (std::vector<Total>{{"a.test", 15, 100, 2}, {"b.test", 1, 0, 1}}));
  EXPECT_EQ(opened.totals(TotalKind::outbound), (std::vector<Total>{{"DIRECT", 16, 100, 3}}));
  EXPECT_EQ(opened.totals(TotalKind::client), (std::vector<Total>{{"192.168.1.9", 16, 100, 3}}));
  EXPECT_EQ(opened.totals(TotalKind::rule).at(0).key, "Match,");
  EXPECT_EQ(opened.totals(TotalKind::network).at(0).key, "tcp");
}

TEST(StatsStore, ARepeatedBatchIsAcknowledgedAndNotAdded) {
  const Scratch scratch;
  const std::string path = scratch.path("stats.db");
  {
    Opened opened(path);
    ASSERT_TRUE(opened.commit({7, 1, {delta("a.test", 10)}}));
    ASSERT_TRUE(opened.commit({7, 1, {delta("a.test", 10)}}));
  }
  Opened again(path);
  EXPECT_EQ(again.store->cursor().epoch, 7U);
  EXPECT_EQ(again.store->cursor().sequence, 1U);
  ASSERT_TRUE(again.commit({7, 1, {delta("a.test", 10)}}));
  ASSERT_TRUE(again.commit({8, 1, {delta("a.test", 1)}}));  // a new life of the data plane
  EXPECT_EQ(again.totals(TotalKind::host).at(0).upload, 11U);
}

TEST(StatsStore, KeysAreBoundedAndTheRestIsUnderOther) {
  const Scratch scratch;
  const std::string path = scratch.path("stats.db");
  contract::CounterBatch batch{1, 1, {}};
  for (int i = 0; i < 50; ++i) batch.deltas.push_back(delta(("h" + std::to_string(i)).c_str(), 1));
  {
    Opened opened(path, 10);
    ASSERT_TRUE(opened.commit(batch));
  }
  Opened opened(path, 10);
  ASSERT_TRUE(opened.commit({1, 2, {delta("late.test", 7), delta("h0", 1)}}));
  const auto hosts = opened.totals(TotalKind::host);
  EXPECT_EQ(hosts.size(), 10U);
  EXPECT_EQ(hosts.at(0), (Total{"other", 41 + 7, 0, 42}));
  EXPECT_EQ(std::accumulate(hosts.begin(), hosts.end(), std::uint64_t{0},
                            [](std::uint64_t sum, const Total& t) { return sum + t.upload; }),
            58U);
}

TEST(StatsStore, BindingsKeepOrderOffsetAndLastGood) {
  const Scratch scratch;
  const std::string path = scratch.path("stats.db");
  {
    Opened opened(path);
    ASSERT_TRUE(opened.save(
        {.add = {{ip("198.18.0.4"), "a.test", true, {ip("203.0.113.7"), ip("2001:db8::7")}},
                 {ip("198.18.0.5"), "b.test", true, {}},
                 {ip("fd00::4"), "a.test", true, {}}},
         .next_v4 = 6,
         .next_v6 = 5}));
    // .4 goes to another name, .5 leaves: one change.
    ASSERT_TRUE(opened.save({.remove = {ip("198.18.0.5"), ip("198.18.0.4")},
                             .add = {{ip("198.18.0.4"), "c.test", true, {}}},
                             .next_v4 = 7,
                             .next_v6 = 5}));
  }
  {
    Opened opened(path);
    const StoredBindings stored = opened.store->take_bindings();
    ASSERT_EQ(stored.bindings.size(), 2U);
    EXPECT_EQ(stored.bindings[0].address, ip("fd00::4"));
    EXPECT_EQ(stored.bindings[1].name, "c.test");
    EXPECT_EQ(stored.next_v4, 7U);
    EXPECT_EQ(stored.next_v6, 5U);
    ASSERT_TRUE(opened.save({.replace = true,
                             .add = {{ip("198.18.0.9"), "z.test", true, {ip("203.0.113.7")}}},
                             .next_v4 = 10}));
  }
  {
    Opened opened(path);
    const StoredBindings stored = opened.store->take_bindings();
    ASSERT_EQ(stored.bindings.size(), 1U);
    EXPECT_EQ(stored.bindings[0].last_good, std::vector{ip("203.0.113.7")});
    ASSERT_TRUE(opened.clear());
  }
  Opened opened(path);
  const StoredBindings stored = opened.store->take_bindings();
  EXPECT_TRUE(stored.bindings.empty());
  EXPECT_EQ(stored.next_v4, 10U);  // the offset stays
}

// B134 for stats.db: a damaged file is set aside, counting starts at zero with any epoch.
TEST(StatsStore, ADamagedFileIsSetAside) {
  for (const int kind : {0, 1, 2}) {
    const Scratch scratch;
    const std::string path = scratch.path("stats.db");
    if (kind == 0) test::write_file(path, test::random_bytes(30'000));
    if (kind == 1) std::filesystem::create_directory(path);
    if (kind == 2) {
      {
        Opened opened(path);
        for (std::uint64_t i = 1; i < 200; ++i)
          ASSERT_TRUE(opened.commit({7, i, {delta(("h" + std::to_string(i)).c_str(), 1)}}));
      }
      const std::string whole = test::read_file(path);
      ASSERT_GT(whole.size(), 8192U);
      test::write_file(path, whole.substr(0, whole.size() - 5000));
    }
    Opened opened(path);
    EXPECT_EQ(scratch.damaged_count(), 1) << kind;
    EXPECT_EQ(opened.store->cursor().sequence, 0U);
    ASSERT_TRUE(opened.commit({7, 17, {delta("a.test", 3)}}));
    EXPECT_EQ(opened.totals(TotalKind::host).size(), 1U) << kind;
  }
}

TEST(StatsStore, WithoutAFileNothingIsAcknowledged) {
  const Scratch scratch;
  Opened opened(scratch.path("no/folder/stats.db"));
  EXPECT_EQ(opened.commit({7, 1, {delta("a.test", 3)}}).error().code, Errc::not_found);
  EXPECT_TRUE(opened.totals(TotalKind::host).empty());
}

/// A child commits batches 1, 2, 3 … of one byte each and reports every acknowledgement.
[[noreturn]] void commit_until_killed(const std::string& path, int report, std::uint64_t first) {
  Writer writer;
  StatsStore store({path, {}}, writer, kMaxKeys);
  for (std::uint64_t sequence = first;; ++sequence) {
    std::promise<void> done;
    contract::CounterBatch batch{7, sequence, {}};
    for (int i = 0; i < 20; ++i)
      batch.deltas.push_back(delta(("h" + std::to_string(i)).c_str(), 1));
    (void)store.commit(std::move(batch), [&](const Status& outcome) {
      if (outcome) (void)!::write(report, &sequence, sizeof sequence);
      done.set_value();
    });
    done.get_future().wait();
  }
}

// Killed at any step of a commit: what was acknowledged is there, nothing is counted twice.
TEST(StatsStore, CountersAreExactAcrossDeathsOfTheProcess) {
  const Scratch scratch;
  const std::string path = scratch.path("stats.db");
  std::uint64_t next = 1;
  for (int round = 0; round < 12; ++round) {
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    const pid_t child = ::fork();
    if (child == 0) commit_until_killed(path, ends[1], next);
    ::close(ends[1]);
    std::uint64_t acknowledged = next - 1;
    for (int i = 0; i < 3 + round * 5; ++i)
      ASSERT_EQ(::read(ends[0], &acknowledged, sizeof acknowledged),
                static_cast<ssize_t>(sizeof acknowledged));
    ::kill(child, SIGKILL);
    while (::read(ends[0], &acknowledged, sizeof acknowledged) > 0) {
    }
    ::waitpid(child, nullptr, 0);
    ::close(ends[0]);
    Opened opened(path);
    const std::uint64_t committed = opened.store->cursor().sequence;
    EXPECT_GE(committed, acknowledged);
    EXPECT_LE(committed, acknowledged + 1);
    const auto hosts = opened.totals(TotalKind::host);
    ASSERT_EQ(hosts.size(), 20U);
    for (const Total& host : hosts) EXPECT_EQ(host.upload, committed) << host.key;
    // The data plane repeats from the last acknowledgement; only what is missing is added.
    next = acknowledged + 1;
  }
}

}  // namespace
}  // namespace sluice::stats
