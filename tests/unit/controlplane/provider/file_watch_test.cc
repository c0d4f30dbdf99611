// Files as editors, scripts and mounts change them.
#include "controlplane/provider/file_watch.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "controlplane/provider/bounds.h"
#include "tests/unit/controlplane/provider/bench.h"

namespace sluice::provider::test {
namespace {

namespace fs = std::filesystem;

class FileWatchTest : public ::testing::Test {
 protected:
  void watch(const std::string& path) {
    changed.reset();
    watched = std::make_unique<FileWatch>(*loop, path, changed);
  }
  /// Whether the kernel's events, and what is due within `span`, tell of a change. Resets.
  bool told(Millis span = kSettle) {
    settle(*loop);
    step(*loop, span);
    const bool out = changed.is_set();
    changed.reset();
    return out;
  }

  Scratch scratch;
  std::unique_ptr<Loop> loop = make_loop();
  Event changed{*loop};
  std::unique_ptr<FileWatch> watched;
};

TEST_F(FileWatchTest, TellsWhenAWriterCloses) {
  const std::string path = scratch.put("x", "one");
  watch(path);
  ASSERT_TRUE(watched->told());
  EXPECT_FALSE(told());
  UniqueFd fd(::open(path.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC));
  ASSERT_EQ(::write(fd.get(), "tw", 2), 2);
  EXPECT_FALSE(told()) << "half of it";
  fd.reset();
  EXPECT_TRUE(told());
  EXPECT_FALSE(told());
}

TEST_F(FileWatchTest, ManyChangesWithinTheSpanAreOne) {
  const std::string path = scratch.put("x", "one");
  watch(path);
  for (int i = 0; i < 50; ++i) scratch.put("x", std::to_string(i));
  settle(*loop);
  EXPECT_FALSE(changed.is_set()) << "not before it has settled";
  EXPECT_LE(loop->timers().next() - loop->now(), kSettle);
  EXPECT_TRUE(told());
  EXPECT_FALSE(told(Millis{10 * kSettle.count}));
}

TEST_F(FileWatchTest, EditorsThatRename) {
  const std::string path = scratch.put("x", "one");
  watch(path);
  fs::rename(path, path + "~");
  scratch.put("x", "two");
  EXPECT_TRUE(told());
  fs::rename(scratch.put(".x.swp", "three"), path);
  EXPECT_TRUE(told());
  scratch.put("y", "a neighbour");
  fs::rename(scratch.path("y"), scratch.path("z"));
  EXPECT_FALSE(told());
}

TEST_F(FileWatchTest, FilesThatVanishAndComeBack) {
  const std::string path = scratch.put("x", "one");
  watch(path);
  fs::remove(path);
  EXPECT_TRUE(told());
  scratch.put("x", "two");
  EXPECT_TRUE(told());
  fs::remove(path);
  EXPECT_TRUE(told());
  fs::create_hard_link(scratch.put("other", "three"), path);
  EXPECT_TRUE(told());
}

TEST_F(FileWatchTest, FilesThatAreNotThereYet) {
  watch(scratch.path("x"));
  EXPECT_TRUE(watched->told());
  scratch.put("x", "one");
  EXPECT_TRUE(told());
}

TEST_F(FileWatchTest, DirectoriesThatAreNotThereYetVanishAndComeBack) {
  watch(scratch.path("sub/x"));
  EXPECT_FALSE(watched->told());
  EXPECT_FALSE(told(kPoll));
  fs::create_directory(scratch.path("sub"));
  EXPECT_FALSE(told(kPoll)) << "still no file";
  EXPECT_TRUE(watched->told());
  scratch.put("sub/x", "one");
  EXPECT_TRUE(told());
  fs::remove_all(scratch.path("sub"));
  EXPECT_TRUE(told());
  EXPECT_FALSE(watched->told());
  fs::create_directory(scratch.path("sub"));
  scratch.put("sub/x", "two");
  EXPECT_TRUE(told(kPoll));
  fs::rename(scratch.path("sub"), scratch.path("away"));
  EXPECT_TRUE(told());
}

TEST_F(FileWatchTest, LinksAreFollowed) {
  fs::create_directory(scratch.path("v1"));
  fs::create_directory(scratch.path("v2"));
  scratch.put("v1/data", "one");
  scratch.put("v2/data", "two");
  fs::create_directory_symlink("v1", scratch.path("current"));
  fs::create_symlink("current/data", scratch.path("x"));
  watch(scratch.path("x"));
  ASSERT_TRUE(watched->told());
  scratch.put("v1/data", "uno");
  EXPECT_TRUE(told()) << "the target is written";
  fs::create_directory_symlink("v2", scratch.path("next"));
  EXPECT_FALSE(told()) << "a neighbour";
  fs::rename(scratch.path("next"), scratch.path("current"));
  EXPECT_TRUE(told()) << "a link on the way is turned";
  scratch.put("v1/data", "nobody looks here now");
  EXPECT_FALSE(told());
  scratch.put("v2/data", "due");
  EXPECT_TRUE(told());
}

TEST_F(FileWatchTest, ALinkToNowhereIsLookedAt) {
  fs::create_symlink("far/data", scratch.path("x"));
  watch(scratch.path("x"));
  EXPECT_FALSE(told(kPoll));
  fs::create_directory(scratch.path("far"));
  scratch.put("far/data", "one");
  EXPECT_TRUE(told(kPoll));
  EXPECT_TRUE(watched->told());
}

}  // namespace
}  // namespace sluice::provider::test
