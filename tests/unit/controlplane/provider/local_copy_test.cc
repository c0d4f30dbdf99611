// Copies on a real disk, whose n-th call fails or ends the process. The calls are wrapped by the
// linker (meson.build), in this program only.
#include "controlplane/provider/local_copy.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "controlplane/provider/intake.h"
#include "tests/unit/controlplane/provider/bench.h"

namespace {
/// Calls that still succeed; negative: all of them.
int calls_left = -1;
int calls_failed = 0;
/// Instead of a failure: as if the power went.
bool die_in_rename = false;

bool fails() {
  if (calls_left < 0) return false;
  if (calls_left-- > 0) return false;
  calls_left = -1;
  ++calls_failed;
  errno = EIO;
  return true;
}
}  // namespace

// NOLINTBEGIN(bugprone-reserved-identifier): the linker's names.
extern "C" {
int __real_mkostemp64(char* pattern, int flags);
ssize_t __real_write(int fd, const void* bytes, size_t size);
int __real_fchmod(int fd, mode_t mode);
int __real_fsync(int fd);
int __real_rename(const char* from, const char* to);
int __real_mkdir(const char* path, mode_t mode);
int __real_open64(const char* path, int flags, mode_t mode);
ssize_t __real_read(int fd, void* bytes, size_t size);
int __real_fstat64(int fd, struct stat64* info);

int __wrap_mkostemp64(char* pattern, int flags) {
  return fails() ? -1 : __real_mkostemp64(pattern, flags);
}
ssize_t __wrap_write(int fd, const void* bytes, size_t size) {
  return fails() ? -1 : __real_write(fd, bytes, size);
}
int __wrap_fchmod(int fd, mode_t mode) {
  return fails() ? -1 : __real_fchmod(fd, mode);
}
int __wrap_fsync(int fd) {
  return fails() ? -1 : __real_fsync(fd);
}
int __wrap_rename(const char* from, const char* to) {
  if (die_in_rename) ::_exit(7);
  return fails() ? -1 : __real_rename(from, to);
}
int __wrap_mkdir(const char* path, mode_t mode) {
  return fails() ? -1 : __real_mkdir(path, mode);
}
int __wrap_open64(const char* path, int flags, mode_t mode) {
  return fails() ? -1 : __real_open64(path, flags, mode);
}
ssize_t __wrap_read(int fd, void* bytes, size_t size) {
  return fails() ? -1 : __real_read(fd, bytes, size);
}
int __wrap_fstat64(int fd, struct stat64* info) {
  return fails() ? -1 : __real_fstat64(fd, info);
}
}
// NOLINTEND(bugprone-reserved-identifier)

namespace sluice::provider::test {
namespace {

class Anything final : public Consumer {
 public:
  Accepted accept(ByteView bytes) override {
    seen = as_text(bytes);
    if (seen == "bad") return std::unexpected("line 1: is bad");
    return {};
  }
  void hold(ByteView) override {}
  void adopt() override {}
  void settled() override {}
  std::string seen;
};

Origin origin_now() {
  Origin origin;
  origin.url_digest = url_digest("http://a/");
  origin.checked_ms = 1000;
  origin.changed_ms = 900;
  origin.validators.etag = "\"1\"";
  return origin;
}

TEST(LocalCopy, StoresBytesAndRecordAndFindsThemAgain) {
  const Scratch scratch;
  const LocalCopy copy(scratch.path("rules/deep/x.list"));
  EXPECT_EQ(copy.read(100).error().fault, CopyError::Fault::missing);
  Origin origin = origin_now();
  ASSERT_TRUE(copy.store("+.example", origin));
  const auto found = copy.read(100);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->bytes, "+.example");
  EXPECT_EQ(found->origin, origin);
  EXPECT_EQ(origin.copy, found->stamp);
  EXPECT_TRUE(copy.holds("+.example", found->stamp));
  EXPECT_FALSE(copy.holds("+.exampl3", found->stamp));
  struct stat info{};
  ASSERT_EQ(::stat(copy.path().c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777U, 0600U) << "lists of subscriptions hold secrets";
  EXPECT_EQ(copy.read(8).error().fault, CopyError::Fault::too_large);
}

TEST(LocalCopy, ARecordIsOnlyAboutTheBytesItDescribes) {
  const Scratch scratch;
  const LocalCopy copy(scratch.path("x"));
  Origin origin = origin_now();
  ASSERT_TRUE(copy.store("0123456789", origin));
  scratch.put("x", "9876543210 by hand");
  const auto found = copy.read(100);
  ASSERT_TRUE(found);
  EXPECT_FALSE(found->origin);
  EXPECT_FALSE(copy.holds("9876543210 by hand", origin.copy)) << "not what is in force";
  scratch.put("x.origin", "nonsense");
  EXPECT_TRUE(copy.read(100));
}

TEST(LocalCopy, OnlyRegularFiles) {
  const Scratch scratch;
  const LocalCopy directory(scratch.path());
  EXPECT_FALSE(directory.read(100));
  ASSERT_EQ(::mkfifo(scratch.path("pipe").c_str(), 0600), 0);
  const auto pipe = LocalCopy(scratch.path("pipe")).read(100);
  ASSERT_FALSE(pipe) << "and does not wait for a writer";
  EXPECT_EQ(pipe.error().reason, scratch.path("pipe") + " is no regular file");
}

TEST(LocalCopy, FailingAnywhereLeavesTheOldOrTheNewWhole) {
  int failures = 0;
  for (int n = 0;; ++n) {
    const Scratch scratch;
    const LocalCopy copy(scratch.path("sub/x"));
    ::mkdir(scratch.path("sub").c_str(), 0700);
    scratch.put("sub/x", "old");
    calls_failed = 0;
    calls_left = n;
    Origin origin = origin_now();
    const Copied<void> stored = copy.store("new content", origin);
    calls_left = -1;
    const auto found = copy.read(100);
    ASSERT_TRUE(found) << n;
    EXPECT_EQ(found->bytes, stored ? "new content" : "old") << n;
    if (!stored) {
      ++failures;
      EXPECT_TRUE(stored.error().reason.starts_with("cannot ")) << stored.error().reason;
      EXPECT_NE(stored.error().reason.find(" /"), std::string::npos) << "a file is named";
    }
    if (found->origin) {
      EXPECT_EQ(found->bytes, "new content") << "a record never describes others' bytes";
    }
    for (const auto& entry : std::filesystem::directory_iterator(scratch.path("sub")))
      EXPECT_FALSE(entry.path().filename().string().starts_with(".")) << n << entry.path();
    if (calls_failed == 0) break;
    ASSERT_LT(n, 100);
  }
  // mkdir fails on what exists; then mkostemp, fchmod, write, fsync, rename.
  EXPECT_GE(failures, 5);
}

// A disk that does not answer says nothing about the bytes: they are not thrown away for it.
TEST(LocalCopy, FailingToReadLeavesItWhereItIs) {
  const Scratch scratch;
  const LocalCopy copy(scratch.path("x"));
  Origin origin = origin_now();
  ASSERT_TRUE(copy.store("good", origin));
  int failures = 0;
  for (int n = 0;; ++n) {
    Anything consumer;
    calls_failed = 0;
    calls_left = n;
    const ReadIn read = take_in_copy(copy, 100, consumer);
    calls_left = -1;
    EXPECT_FALSE(read.broken()) << n;
    EXPECT_EQ(scratch.get("x"), "good") << n;
    if (!read.usable()) {
      ++failures;
      EXPECT_TRUE(read.reason("x").starts_with("cannot read " + scratch.path("x"))) << n;
    }
    if (calls_failed == 0) break;
    ASSERT_LT(n, 100);
  }
  EXPECT_GE(failures, 3) << "open, fstat, read";
}

TEST(LocalCopy, ADeathBeforeTheRenameLeavesTheOldCopyAndNothingElse) {
  const Scratch scratch;
  const LocalCopy copy(scratch.path("x.list"));
  Origin origin = origin_now();
  ASSERT_TRUE(copy.store("old", origin));
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    die_in_rename = true;
    (void)copy.store("new, whole, but not there yet", origin);
    ::_exit(1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  ASSERT_EQ(WEXITSTATUS(status), 7);
  EXPECT_EQ(scratch.names().size(), 3U) << "the temporary file is there";
  scratch.put(".x.list.short", "somebody's");
  scratch.put(".y.list.abc123", "somebody's");
  Anything consumer;
  const ReadIn read = take_in_copy(copy, 100, consumer);
  ASSERT_TRUE(read.usable());
  EXPECT_EQ(consumer.seen, "old");
  EXPECT_EQ(read.found->origin, origin);
  EXPECT_EQ(scratch.names(), (std::vector<std::string>{".x.list.short", ".y.list.abc123", "x.list",
                                                       "x.list.origin"}));
}

TEST(LocalCopy, ABrokenOneIsKeptAside) {
  const Scratch scratch;
  const LocalCopy copy(scratch.path("x"));
  Origin origin = origin_now();
  ASSERT_TRUE(copy.store("bad", origin));
  Anything consumer;
  const ReadIn read = take_in_copy(copy, 100, consumer);
  EXPECT_TRUE(read.broken());
  EXPECT_TRUE(read.moved_aside);
  EXPECT_EQ(read.reason(copy.path()), copy.path() + ": line 1: is bad");
  EXPECT_EQ(scratch.names(), std::vector<std::string>{"x.broken"});
  EXPECT_EQ(scratch.get("x.broken"), "bad");
}

TEST(LocalCopy, TheSameBytesAreNeitherJudgedNorWritten) {
  const Scratch scratch;
  const LocalCopy copy(scratch.path("x"));
  Anything consumer;
  const TakenIn first = take_in_download(copy, "good", origin_now(), Place::copy, consumer);
  ASSERT_TRUE(first.accepted && first.stored);
  EXPECT_FALSE(first.same);
  EXPECT_EQ(first.origin.changed_ms, 1000) << "when it was checked";
  consumer.seen.clear();
  Origin later = first.origin;
  later.checked_ms = 5000;
  const TakenIn second = take_in_download(copy, "good", later, Place::copy, consumer);
  EXPECT_TRUE(second.same);
  EXPECT_EQ(consumer.seen, "");
  EXPECT_EQ(copy.read(100)->origin->checked_ms, 5000);
  EXPECT_EQ(copy.read(100)->origin->changed_ms, 1000);
}

}  // namespace
}  // namespace sluice::provider::test
