#include "ui/cli/convert/convert_files.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/scratch.h"

namespace sluice::cli {
namespace {

/// Stands in for a descriptor of the process for a while, and catches what is written to it.
class Caught {
 public:
  Caught(int fd, const test::Scratch& scratch, const std::string& name)
      : fd_(fd), saved_(::dup(fd)), name_(name), scratch_(scratch) {
    const int file = ::open(scratch.put(name, "").c_str(), O_RDWR | O_CLOEXEC);
    EXPECT_GE(::dup2(file, fd), 0);
    ::close(file);
  }
  Caught(const Caught&) = delete;
  Caught& operator=(const Caught&) = delete;
  ~Caught() { (void)text(); }
  std::string text() {
    if (saved_ >= 0) {
      ::dup2(saved_, fd_);
      ::close(saved_);
      saved_ = -1;
    }
    return scratch_.get(name_);
  }

 private:
  int fd_;
  int saved_;
  std::string name_;
  const test::Scratch& scratch_;
};

class ConvertFilesTest : public ::testing::Test {
 protected:
  struct Said {
    std::expected<void, Failure> done;
    std::string out;
    std::string error;
  };
  Said run(const ConvertWords& words) {
    ::fflush(stdout);
    Caught out(STDOUT_FILENO, scratch_, "stdout");
    Caught error(STDERR_FILENO, scratch_, "stderr");
    Said said{convert_files(words), {}, {}};
    said.error = error.text();
    said.out = out.text();
    return said;
  }
  test::Scratch scratch_;
};

TEST_F(ConvertFilesTest, WritesTheFileAndSaysWhatItHolds) {
  ConvertWords words;
  words.in = scratch_.put("ads.txt", "a.test\nbad..name\n");
  words.out = scratch_.path("ads.yaml");
  const Said said = run(words);
  ASSERT_TRUE(said.done) << said.done.error().text;
  EXPECT_EQ(scratch_.get("ads.yaml"), "payload:\n  - 'a.test'\n");
  EXPECT_EQ(said.out, words.out + " (yaml, domain) holds 1 entry of " + words.in + " (text)\n");
  EXPECT_EQ(said.error,
            "1 entry is left out:\n  " + words.in + ":2:1: `bad..name` has an empty label\n");
}

TEST_F(ConvertFilesTest, AFailureLeavesTheOldFile) {
  ConvertWords words;
  words.in = scratch_.put("ads.txt", "10.0.0.0/8\n");
  words.out = scratch_.put("ads.yaml", "old");
  words.behavior = "domain";
  const Said said = run(words);
  ASSERT_FALSE(said.done);
  EXPECT_EQ(said.done.error().code, ExitCode::refused);
  EXPECT_EQ(scratch_.get("ads.yaml"), "old");
  for (const auto& entry : std::filesystem::directory_iterator(scratch_.path()))
    EXPECT_NE(entry.path().filename().string().front(), '.') << "a temporary file stayed";
}

TEST_F(ConvertFilesTest, AFileMayReplaceItself) {
  ConvertWords words;
  words.in = scratch_.put("ads.list", "DOMAIN,a.test\nDOMAIN-SUFFIX,b.test\n", 0600);
  words.out = words.in;
  words.behavior = "domain";
  ASSERT_TRUE(run(words).done);
  EXPECT_EQ(scratch_.get("ads.list"), "a.test\n+.b.test\n");
  struct stat info{};
  ASSERT_EQ(::stat(words.in.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777, 0600U);
}

TEST_F(ConvertFilesTest, StandardInputAndOutput) {
  const int in = ::open(scratch_.put("in", "b.test\na.test\n").c_str(), O_RDONLY | O_CLOEXEC);
  const int saved = ::dup(STDIN_FILENO);
  ASSERT_GE(::dup2(in, STDIN_FILENO), 0);
  ConvertWords words{"-", "-", "text", "yaml", "", "", "", 0};
  const Said said = run(words);
  ::dup2(saved, STDIN_FILENO);
  ::close(saved);
  ::close(in);
  ASSERT_TRUE(said.done) << said.done.error().text;
  EXPECT_EQ(said.out, "payload:\n  - 'b.test'\n  - 'a.test'\n");
  EXPECT_EQ(said.error,
            "standard output (yaml, domain) holds 2 entries of standard input (text)\n");
}

TEST_F(ConvertFilesTest, WhatIsNotSaidAndNotSeenIsAskedFor) {
  const std::string plain = scratch_.put("ads", "a.test\n");
  const std::pair<ConvertWords, const char*> table[] = {
      {{plain, scratch_.path("o.txt"), "", "", "", "", "", 0}, "--from"},
      {{plain, scratch_.path("o"), "text", "", "", "", "", 0}, "--to"},
      {{plain, scratch_.path("o.srs"), "text", "", "", "", "", 0}, "are only read"},
      {{scratch_.path("missing.txt"), scratch_.path("o.txt"), "", "", "", "", "", 0},
       "cannot read"},
      {{plain, "/no/such/folder/o.txt", "text", "", "", "", "", 0}, "cannot write"}};
  for (const auto& [words, text] : table) {
    const Said said = run(words);
    ASSERT_FALSE(said.done) << text;
    EXPECT_EQ(said.done.error().code, ExitCode::usage);
    EXPECT_NE(said.done.error().text.find(text), std::string::npos) << said.done.error().text;
  }
}

}  // namespace
}  // namespace sluice::cli
