#include "dataplane/recovery/blob_file.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <iterator>

#include "tests/unit/dataplane/recovery/temp_dir.h"

namespace sluice::recovery {
namespace {

using test::TempDir;

std::vector<std::byte> sample(std::size_t size) {
  std::vector<std::byte> out(size);
  for (std::size_t i = 0; i < size; ++i) out[i] = static_cast<std::byte>(i * 7);
  return out;
}

std::string file_of(const contract::Digest& digest) {
  return contract::to_text(digest) + ".blob";
}

contract::BlobPtr write_in_pieces(const std::string& dir, ByteView bytes, std::size_t step) {
  BlobWriter writer(dir);
  for (std::size_t at = 0; at < bytes.size(); at += step)
    EXPECT_TRUE(writer.write(bytes.subspan(at, std::min(step, bytes.size() - at))));
  EXPECT_EQ(writer.size(), bytes.size());
  const auto blob = writer.finish();
  return blob ? *blob : nullptr;
}

/// No file of this process grows beyond `size` bytes, until the end of the block.
class FileBound {
 public:
  explicit FileBound(rlim_t size) : former_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit bound{size, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &bound);
  }
  FileBound(const FileBound&) = delete;
  FileBound& operator=(const FileBound&) = delete;
  ~FileBound() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, former_);
  }

 private:
  rlimit before_{};
  void (*former_)(int);
};

TEST(BlobFile, PiecesBecomeOneFileThatIsNamedByItsBytesAndItsOwnersAlone) {
  const TempDir dir;
  const auto bytes = sample(10'000);
  for (const std::size_t step : {1UZ, 4096UZ, 10'000UZ}) {
    const auto blob = write_in_pieces(dir.path(), bytes, step);
    ASSERT_NE(blob, nullptr);
    EXPECT_EQ(blob->digest, contract::digest_of(bytes));
    EXPECT_TRUE(std::ranges::equal(blob->bytes, bytes));
    EXPECT_EQ(dir.read(file_of(blob->digest)), as_text(bytes));
    struct stat info{};
    ASSERT_EQ(::stat((dir.path() + "/" + file_of(blob->digest)).c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777U, 0600U);
    EXPECT_FALSE(dir.has("blob.new"));
  }
}

TEST(BlobFile, BytesAreThereAfterTheFileIsRemovedOrReplaced) {
  const TempDir dir;
  const auto bytes = sample(10'000);
  const auto first = write_in_pieces(dir.path(), bytes, 4096);
  const auto second = write_in_pieces(dir.path(), bytes, 100);
  ASSERT_TRUE(first && second);
  remove_blob(dir.path(), first->digest);
  EXPECT_FALSE(dir.has(file_of(first->digest)));
  EXPECT_TRUE(std::ranges::equal(first->bytes, bytes));
  EXPECT_TRUE(std::ranges::equal(second->bytes, bytes));
}

TEST(BlobFile, OneThatIsBrokenOffLeavesNothing) {
  const TempDir dir;
  {
    BlobWriter writer(dir.path());
    ASSERT_TRUE(writer.write(sample(100)));
    EXPECT_TRUE(dir.has("blob.new"));
  }
  EXPECT_TRUE(std::filesystem::is_empty(dir.path()));
}

TEST(BlobFile, ABlobWithoutBytesNeedsNoFile) {
  const TempDir dir;
  BlobWriter writer(dir.path());
  const auto blob = writer.finish();
  ASSERT_TRUE(blob);
  EXPECT_EQ((*blob)->digest, contract::digest_of({}));
  EXPECT_TRUE((*blob)->bytes.empty());
}

// A folder that is full at any byte: the blob is whole all the same, and no file holds half of it.
TEST(BlobFile, WhatTheFolderDoesNotTakeIsHeldInMemory) {
  const TempDir dir;
  const auto bytes = sample(1000);
  for (rlim_t most = 0; most < bytes.size(); most += 37) {
    const FileBound bound(most);
    const auto blob = write_in_pieces(dir.path(), bytes, 100);
    ASSERT_NE(blob, nullptr) << most;
    EXPECT_EQ(blob->digest, contract::digest_of(bytes)) << most;
    EXPECT_TRUE(std::ranges::equal(blob->bytes, bytes)) << most;
    EXPECT_FALSE(keep_blob(dir.path(), *blob)) << most;
    EXPECT_TRUE(std::ranges::none_of(std::filesystem::directory_iterator(dir.path()),
                                     [](const auto& entry) { return entry.is_regular_file(); }))
        << most;
  }
  const auto blob = write_in_pieces("/nonexistent-folder", bytes, 100);
  ASSERT_NE(blob, nullptr);
  EXPECT_TRUE(std::ranges::equal(blob->bytes, bytes));
}

TEST(BlobFile, OneFromMemoryIsKeptOnceThereIsRoom) {
  const TempDir dir;
  const contract::BlobPtr blob = contract::make_blob(sample(1000));
  EXPECT_EQ(open_blob(dir.path(), blob->digest).error().code, Errc::not_found);
  ASSERT_TRUE(keep_blob(dir.path(), *blob));
  const auto kept = open_blob(dir.path(), blob->digest);
  ASSERT_TRUE(kept);
  EXPECT_TRUE(std::ranges::equal((*kept)->bytes, blob->bytes));
}

// Killed while the bytes went to a file: by BlobWriter, or by keep_blob().
TEST(BlobFile, WhatWasInterruptedIsRemovedWithTheBlobsThatGo) {
  const TempDir dir;
  const contract::BlobPtr kept = contract::make_blob(sample(10));
  const contract::BlobPtr gone = contract::make_blob(sample(20));
  for (const contract::BlobPtr& blob : {kept, gone}) {
    ASSERT_TRUE(keep_blob(dir.path(), *blob));
    dir.write(file_of(blob->digest) + ".new", "cut");
  }
  dir.write("blob.new", "cut");
  dir.write("snapshot", "another file");
  keep_only_blobs(dir.path(), std::array{kept});
  EXPECT_TRUE(dir.has(file_of(kept->digest)));
  EXPECT_TRUE(dir.has("snapshot"));
  const std::filesystem::directory_iterator left(dir.path());
  EXPECT_EQ(std::distance(begin(left), end(left)), 2);
}

TEST(BlobFile, OtherBytesThanTheNameSaysAreRefused) {
  const TempDir dir;
  const contract::Digest name = contract::digest_of(sample(1000));
  auto bytes = sample(1000);
  bytes[999] ^= std::byte{1};
  dir.write(file_of(name), std::string(as_text(bytes)));
  EXPECT_EQ(open_blob(dir.path(), name).error().code, Errc::malformed);
  dir.write(file_of(name), "");
  EXPECT_EQ(open_blob(dir.path(), name).error().code, Errc::malformed);
}

}  // namespace
}  // namespace sluice::recovery
