#include "controlplane/stats/state_store.h"

#include <gtest/gtest.h>

#include <functional>
#include <future>
#include <memory>
#include <mutex>

#include "proto/common/log.h"
#include "tests/unit/controlplane/stats/scratch.h"

namespace sluice::stats {
namespace {

using test::Scratch;
using Choices = std::vector<contract::GroupChoice>;

/// Warnings that are logged while it lives.
class Warnings {
 public:
  Warnings() { set_log_tap(&Warnings::take, this, LogLevel::warning); }
  Warnings(const Warnings&) = delete;
  Warnings& operator=(const Warnings&) = delete;
  ~Warnings() { set_log_tap(nullptr, nullptr, LogLevel::silent); }
  [[nodiscard]] std::size_t count() const {
    const std::lock_guard lock(mutex_);
    return lines_.size();
  }

 private:
  static void take(void* self, LogLevel, std::string_view, std::string_view text, std::int64_t) {
    auto* warnings = static_cast<Warnings*>(self);
    const std::lock_guard lock(warnings->mutex_);
    warnings->lines_.emplace_back(text);
  }
  mutable std::mutex mutex_;
  std::vector<std::string> lines_;
};

Choices start_and_stop(const std::string& path, const Choices& saves = {}) {
  auto writer = std::make_unique<Writer>();
  StateStore store(path, *writer);
  for (const auto& [group, member] : saves) EXPECT_TRUE(store.save(group, member));
  writer->stop();
  return store.choices();
}

TEST(StateStore, ChoicesComeBack) {
  const Scratch scratch;
  const std::string path = scratch.path("state.db");
  EXPECT_TRUE(start_and_stop(path, {{"A", "one"}, {"B", "two"}, {"A", "three"}}).empty());
  EXPECT_EQ(start_and_stop(path), (Choices{{"A", "three"}, {"B", "two"}}));
}

struct Damage {
  const char* name;
  std::function<void(const std::string&)> make;
  int set_aside;
};

// B134: starts each time, one warning, and what is saved from then on is there at the next start.
TEST(StateStore, EveryKindOfDamageCostsOneWarningAndNoStart) {
  const Damage cases[] = {
      {"random bytes", [](const auto& p) { test::write_file(p, test::random_bytes(20'000)); }, 1},
      {"a short text", [](const auto& p) { test::write_file(p, "hello"); }, 1},
      {"empty", [](const auto& p) { test::write_file(p, ""); }, 0},
      {"cut in the middle",
       [](const auto& p) {
         (void)start_and_stop(p, {{"A", "one"}});
         const std::string whole = test::read_file(p);
         test::write_file(p, whole.substr(0, whole.size() / 2 + 100));
       },
       1},
      {"cut to its header",
       [](const auto& p) {
         (void)start_and_stop(p, {{"A", "one"}});
         test::write_file(p, test::read_file(p).substr(0, 100));
       },
       1},
      {"a directory",
       [](const auto& p) {
         std::filesystem::create_directory(p);
         test::write_file(p + "/inside", "x");
       },
       1},
      {"another program's database",
       [](const auto& p) {
         auto database = Database::open(p);
         ASSERT_TRUE(database);
         ASSERT_TRUE(database->execute("PRAGMA user_version=77; CREATE TABLE choices(x)"));
       },
       1},
  };
  for (const Damage& damage : cases) {
    const Scratch scratch;
    const std::string path = scratch.path("state.db");
    damage.make(path);
    const Warnings warnings;
    EXPECT_TRUE(start_and_stop(path, {{"G", "node"}}).empty()) << damage.name;
    EXPECT_EQ(warnings.count(), 1U) << damage.name;
    EXPECT_EQ(scratch.damaged_count(), damage.set_aside) << damage.name;
    EXPECT_EQ(start_and_stop(path), (Choices{{"G", "node"}})) << damage.name;
    EXPECT_EQ(warnings.count(), 1U) << damage.name;
  }
}

TEST(StateStore, AReadOnlyFileIsReplaced) {
  const Scratch scratch;
  const std::string path = scratch.path("state.db");
  (void)start_and_stop(path, {{"A", "one"}});
  ::chmod(path.c_str(), 0444);
  test::as_nobody(scratch.folder(), [&] {
    const Warnings warnings;
    (void)start_and_stop(path, {{"G", "node"}});
    EXPECT_EQ(warnings.count(), 1U);
    EXPECT_EQ(start_and_stop(path), (Choices{{"G", "node"}}));
  });
}

TEST(StateStore, AReadOnlyFolderMeansMemoryAndOneWarning) {
  const Scratch scratch;
  const std::string folder = scratch.path("ro");
  std::filesystem::create_directory(folder);
  test::as_nobody(scratch.folder(), [&] {
    ::chmod(folder.c_str(), 0555);
    const Warnings warnings;
    EXPECT_TRUE(start_and_stop(folder + "/state.db", {{"A", "x"}, {"B", "y"}, {"C", "z"}}).empty());
    EXPECT_EQ(warnings.count(), 1U);
    ::chmod(folder.c_str(), 0755);
  });
}

TEST(StateStore, ChoicesKeptInMemoryAreSavedOnceTheDiskTakesThem) {
  const Scratch scratch;
  const std::string path = scratch.path("not-yet/state.db");
  Writer writer;
  StateStore store(path, writer);  // the folder is not there
  EXPECT_TRUE(store.save("A", "one"));
  ASSERT_TRUE(writer.post([&] { std::filesystem::create_directory(scratch.path("not-yet")); }));
  EXPECT_TRUE(store.save("B", "two"));  // too soon after the failure: not tried
  std::promise<bool> there;
  ASSERT_TRUE(writer.post([&] { there.set_value(std::filesystem::exists(path)); }));
  EXPECT_FALSE(there.get_future().get());
  EXPECT_TRUE(store.flush());
  writer.stop();
  EXPECT_EQ(store.save("C", "three").error().code, Errc::cancelled);
  EXPECT_EQ(start_and_stop(path), (Choices{{"A", "one"}, {"B", "two"}}));
}

}  // namespace
}  // namespace sluice::stats
