#include "proto/common/whole_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <utility>

#include "proto/common/unique_fd.h"

// Modes, owners and links of a replaced file: controlplane/config_store/atomic_file_test.cc.
namespace sluice {
namespace {

UniqueFd file_with(std::string_view content) {
  UniqueFd fd(::memfd_create("test", MFD_CLOEXEC));
  EXPECT_TRUE(write_whole(fd.get(), content));
  EXPECT_EQ(::lseek(fd.get(), 0, SEEK_SET), 0);
  return fd;
}

TEST(WholeFile, IsReadToItsEnd) {
  EXPECT_EQ(read_whole(file_with("").get(), 10), "");
  const std::string large(200'000, 'x');
  EXPECT_EQ(read_whole(file_with(large).get(), large.size()), large);
}

TEST(WholeFile, OneByteAboveTheBoundIsTooLarge) {
  const UniqueFd file = file_with(std::string(100'001, 'x'));
  const auto text = read_whole(file.get(), 100'000);
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().code, Errc::too_large);
  EXPECT_EQ(text.error().sys, EFBIG);
}

TEST(WholeFile, APipeIsReadAsItComes) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
  const UniqueFd out(ends[0]);
  UniqueFd in(ends[1]);
  ASSERT_TRUE(write_whole(in.get(), "abc"));
  in.reset();
  EXPECT_EQ(read_whole(out.get(), 3), "abc");
}

TEST(WholeFile, WhatCannotBeReadOrWrittenSaysWhy) {
  const UniqueFd directory(::open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  EXPECT_EQ(read_whole(directory.get(), 10).error().sys, EISDIR);
  const UniqueFd full(::open("/dev/full", O_WRONLY | O_CLOEXEC));
  EXPECT_EQ(write_whole(full.get(), "x").error().sys, ENOSPC);
}

TEST(WholeFile, OnlyForItsOwnerAFileWithoutWritePermissionIsReplaced) {
  std::string path = "/tmp/sluice-whole-file-XXXXXX";
  const UniqueFd old(::mkostemp(path.data(), O_CLOEXEC));
  ASSERT_EQ(::fchmod(old.get(), 0444), 0);
  const Replaced refused = replace_file(path, "new");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().fault, ReplaceFault::read_only);
  EXPECT_TRUE(replace_file_for_owner(path, "new"));
  const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  EXPECT_EQ(read_whole(file.get(), 10), "new");
  struct stat info{};
  EXPECT_EQ(::fstat(file.get(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777, 0444U);
  ::unlink(path.c_str());
}

TEST(WholeFile, AReplacementThatFailsLeavesTheOldFileAlone) {
  const Replaced none = replace_file("/no/such/folder/c.yaml", "new");
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().fault, ReplaceFault::no_directory);
  EXPECT_EQ(none.error().sys, ENOENT);
  const Replaced folder = replace_file("/", "new");
  ASSERT_FALSE(folder);
  EXPECT_EQ(folder.error().fault, ReplaceFault::write_failed);
  EXPECT_EQ(folder.error().sys, EISDIR);
}

/// A file "old" in a directory of its own.
class FileReplacementTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_NE(::mkdtemp(directory_.data()), nullptr);
    path_ = directory_ + "/list.txt";
    ASSERT_TRUE(replace_file(path_, "old", 0640));
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }

  [[nodiscard]] std::string content() const {
    const UniqueFd file(::open(path_.c_str(), O_RDONLY | O_CLOEXEC));
    return read_whole(file.get(), 1'000'000).value_or("unreadable");
  }
  [[nodiscard]] std::size_t files() const {
    const std::filesystem::directory_iterator all(directory_);
    return static_cast<std::size_t>(std::distance(begin(all), end(all)));
  }

  std::string directory_ = "/tmp/sluice-replacement-XXXXXX";
  std::string path_;
};

TEST_F(FileReplacementTest, ReadersSeeTheOldFileUntilItIsCommitted) {
  auto replacement = FileReplacement::begin(path_);
  ASSERT_TRUE(replacement);
  ASSERT_TRUE(replacement->write("new "));
  ASSERT_TRUE(replacement->write("content"));
  EXPECT_EQ(content(), "old");
  EXPECT_TRUE(replacement->commit());
  EXPECT_EQ(content(), "new content");
  EXPECT_EQ(files(), 1u);
  struct stat info{};
  ASSERT_EQ(::stat(path_.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777, 0640U);
}

TEST_F(FileReplacementTest, WithoutACommitNothingHappened) {
  {
    auto first = FileReplacement::begin(path_);
    ASSERT_TRUE(first);
    ASSERT_TRUE(first->write("half of it"));
    EXPECT_EQ(files(), 2u);
    FileReplacement moved = std::move(*first);
    ASSERT_TRUE(moved.write("more"));
    moved = std::move(*FileReplacement::begin(path_));
    EXPECT_EQ(files(), 2u) << "what it held before is gone";
  }
  EXPECT_EQ(content(), "old");
  EXPECT_EQ(files(), 1u);
}

TEST_F(FileReplacementTest, OneThatCannotBeCommittedLeavesNoTrace) {
  auto replacement = FileReplacement::begin(path_);
  ASSERT_TRUE(replacement);
  ASSERT_EQ(::unlink(path_.c_str()), 0);
  ASSERT_EQ(::mkdir(path_.c_str(), 0755), 0);
  const Replaced refused = replacement->commit();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().fault, ReplaceFault::write_failed);
  EXPECT_EQ(files(), 1u);
}

}  // namespace
}  // namespace sluice
