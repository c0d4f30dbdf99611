#include "controlplane/config_store/atomic_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <functional>

#include "proto/common/config_size.h"
#include "scratch.h"

namespace sluice::config_store {
namespace {

constexpr uid_t kNobody = 65534;

mode_t mode_of(const std::string& path) {
  struct stat info{};
  EXPECT_EQ(::stat(path.c_str(), &info), 0);
  return info.st_mode & 07777;
}

/// Runs `body` as another user in a child; its value (0..255) comes back.
int as_nobody(const std::function<int()>& body) {
  const pid_t child = ::fork();
  if (child == 0) {
    if (::setgid(kNobody) != 0 || ::setuid(kNobody) != 0) ::_exit(250);
    ::_exit(body());
  }
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 251;
}

int fault_number(const Stored<void>& result) {
  return result ? 200 : static_cast<int>(result.error().fault);
}

TEST(AtomicFile, ReplacesTheContentAndKeepsTheMode) {
  const Scratch scratch;
  const std::string file = scratch.put("c.yaml", "old", 0640);
  ASSERT_TRUE(replace_file(file, "new"));
  EXPECT_EQ(scratch.get("c.yaml"), "new");
  EXPECT_EQ(mode_of(file), mode_t{0640});
  EXPECT_EQ(scratch.count(), 1u) << "a temporary file was left";
}

TEST(AtomicFile, ANewFileGetsTheAskedMode) {
  const Scratch scratch;
  ASSERT_TRUE(replace_file(scratch.path("c.yaml"), "new", 0600));
  EXPECT_EQ(mode_of(scratch.path("c.yaml")), mode_t{0600});
}

TEST(AtomicFile, AReaderThatHoldsTheOldFileKeepsReadingIt) {
  const Scratch scratch;
  const std::string file = scratch.put("c.yaml", "old");
  std::ifstream held(file);
  ASSERT_TRUE(replace_file(file, "new"));
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(held), {}), "old");
}

TEST(AtomicFile, ASymbolicLinkStaysALink) {
  const Scratch scratch;
  scratch.put("real.yaml", "old");
  std::filesystem::create_symlink("real.yaml", scratch.path("c.yaml"));
  ASSERT_TRUE(replace_file(scratch.path("c.yaml"), "new"));
  EXPECT_TRUE(std::filesystem::is_symlink(scratch.path("c.yaml")));
  EXPECT_EQ(scratch.get("real.yaml"), "new");
}

TEST(AtomicFile, AFileWithoutWriteBitsIsRefusedEvenToRoot) {
  const Scratch scratch;
  const std::string file = scratch.put("c.yaml", "old", 0444);
  const Stored<void> result = replace_file(file, "new");
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().fault, StoreFault::read_only);
  EXPECT_EQ(scratch.get("c.yaml"), "old");
}

TEST(AtomicFile, ADirectoryIsNotReplaced) {
  const Scratch scratch;
  std::filesystem::create_directory(scratch.path("c.yaml"));
  const Stored<void> result = replace_file(scratch.path("c.yaml"), "new");
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().fault, StoreFault::write_failed);
  EXPECT_EQ(result.error().sys, EISDIR);
}

TEST(AtomicFile, ProbeSaysWhatReplaceWouldSayAndChangesNothing) {
  const Scratch scratch;
  const std::string file = scratch.put("c.yaml", "old");
  EXPECT_TRUE(may_replace(file));
  EXPECT_EQ(scratch.count(), 1u);
  EXPECT_EQ(fault_number(may_replace(scratch.path("no/such/c.yaml"))),
            static_cast<int>(StoreFault::no_directory));
}

TEST(AtomicFile, AnotherUsersFileIsRefusedBecauseItsOwnerWouldBeLost) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root to become another user";
  const Scratch scratch;
  ASSERT_EQ(::chmod(scratch.path().c_str(), 0777), 0);
  const std::string file = scratch.put("c.yaml", "old", 0666);
  EXPECT_EQ(as_nobody([&] { return fault_number(replace_file(file, "new")); }),
            static_cast<int>(StoreFault::other_owner));
  EXPECT_EQ(scratch.get("c.yaml"), "old");
}

TEST(AtomicFile, ADirectoryThatIsNotOursIsNamed) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root to become another user";
  const Scratch scratch;
  ASSERT_EQ(::chmod(scratch.path().c_str(), 0755), 0);
  const std::string file = scratch.put("c.yaml", "old", 0644);
  ASSERT_EQ(::chown(file.c_str(), kNobody, kNobody), 0);
  EXPECT_EQ(as_nobody([&] { return fault_number(replace_file(file, "new")); }),
            static_cast<int>(StoreFault::no_directory));
}

TEST(AtomicFile, RootKeepsTheOwner) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root";
  const Scratch scratch;
  const std::string file = scratch.put("c.yaml", "old", 0600);
  ASSERT_EQ(::chown(file.c_str(), kNobody, kNobody), 0);
  ASSERT_TRUE(replace_file(file, "new"));
  struct stat info{};
  ASSERT_EQ(::stat(file.c_str(), &info), 0);
  EXPECT_EQ(info.st_uid, kNobody);
  EXPECT_EQ(info.st_gid, kNobody);
}

TEST(AtomicFile, TooLargeContentIsRefusedBothWays) {
  const Scratch scratch;
  const std::string file = scratch.put("c.yaml", std::string(kMaxConfigBytes + 1, 'x'));
  const Stored<std::string> read = read_file(file);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().fault, StoreFault::too_large);
  const Stored<void> written = replace_file(file, std::string(kMaxConfigBytes + 1, 'y'));
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().fault, StoreFault::too_large);
}

TEST(AtomicFile, ReadingWhatIsNotThereNamesThePath) {
  const Stored<std::string> read = read_file("/nonexistent/c.yaml");
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error(), (StoreError{StoreFault::read_failed, "/nonexistent/c.yaml", ENOENT}));
}

}  // namespace
}  // namespace sluice::config_store
