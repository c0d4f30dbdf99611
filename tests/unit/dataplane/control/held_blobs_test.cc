// Generations that are accepted, saved or not, and refused: what a restart finds after each.
#include "dataplane/control/held_blobs.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "dataplane/recovery/blob_file.h"
#include "dataplane/recovery/recovery.h"
#include "proto/wire/manifest_bytes.h"
#include "tests/unit/dataplane/recovery/temp_dir.h"
#include "tests/unit/proto/wire/samples.h"

namespace sluice::control {
namespace {

contract::BlobPtr blob_of(int value) {
  return contract::make_blob(std::vector<std::byte>(100, static_cast<std::byte>(value)));
}

class HeldBlobsTest : public testing::Test {
 protected:
  /// An Apply brings it: its file is there before the verdict.
  void comes(const contract::BlobPtr& blob) const {
    ASSERT_TRUE(recovery::keep_blob(dir.path(), *blob));
  }
  bool accept(const contract::BlobPtr& blob) {
    comes(blob);
    contract::Manifest manifest = test::sample_manifest();
    manifest.ruleset = blob->digest;
    return held.accepted(wire::manifest_to_bytes(manifest), {blob}).has_value();
  }
  void refuse(const contract::BlobPtr& blob) {
    comes(blob);
    held.refused(blob->digest);
  }
  /// A folder in the way of the temporary file makes saving fail.
  void saving_fails(bool fails) const {
    if (fails)
      std::filesystem::create_directory(in_the_way);
    else
      std::filesystem::remove(in_the_way);
  }
  [[nodiscard]] bool has(const contract::BlobPtr& blob) const {
    return dir.has(contract::to_text(blob->digest) + ".blob");
  }
  [[nodiscard]] bool restart_finds(const contract::BlobPtr& blob) const {
    const auto found = recovery::load(dir.path()).snapshot;
    return found && found->manifest.ruleset == blob->digest;
  }

  const test::TempDir dir;
  const std::string in_the_way = dir.path() + "/snapshot.new";
  HeldBlobs held{dir.path()};
  const contract::BlobPtr a = blob_of(1);
  const contract::BlobPtr b = blob_of(2);
  const contract::BlobPtr c = blob_of(3);
};

TEST_F(HeldBlobsTest, WhatIsAcceptedReplacesWhatRan) {
  ASSERT_TRUE(accept(a));
  ASSERT_TRUE(accept(b));
  EXPECT_FALSE(has(a));
  EXPECT_TRUE(held.running().contains(b->digest));
  EXPECT_EQ(held.running().size(), 1U);
  EXPECT_TRUE(restart_finds(b));
}

TEST_F(HeldBlobsTest, WhatIsRefusedGoesUnlessItRuns) {
  ASSERT_TRUE(accept(a));
  refuse(b);
  refuse(a);
  EXPECT_FALSE(has(b));
  EXPECT_TRUE(restart_finds(a));
}

TEST_F(HeldBlobsTest, WhatTheSavedSnapshotNamesStaysUntilANewerOneIsSaved) {
  ASSERT_TRUE(accept(a));
  saving_fails(true);
  ASSERT_FALSE(accept(b));
  EXPECT_TRUE(held.running().contains(b->digest));
  refuse(a);
  EXPECT_TRUE(has(b));
  EXPECT_TRUE(restart_finds(a));
  saving_fails(false);
  ASSERT_TRUE(accept(c));
  EXPECT_FALSE(has(a));
  EXPECT_TRUE(restart_finds(c));
}

TEST_F(HeldBlobsTest, WhatWasFoundAtStartStaysAsWell) {
  ASSERT_TRUE(accept(a));
  held = HeldBlobs(dir.path());
  const auto found = recovery::load(dir.path()).snapshot;
  ASSERT_TRUE(found);
  held.found(*found);
  EXPECT_TRUE(held.running().contains(a->digest));
  saving_fails(true);
  ASSERT_FALSE(accept(b));
  refuse(a);
  EXPECT_TRUE(restart_finds(a));
}

// The run directory is memory: it holds what runs and what is saved, no more.
TEST_F(HeldBlobsTest, GenerationsThatCannotBeSavedDoNotPileUp) {
  ASSERT_TRUE(accept(a));
  saving_fails(true);
  ASSERT_FALSE(accept(b));
  ASSERT_FALSE(accept(c));
  EXPECT_FALSE(has(b));
  EXPECT_TRUE(has(c));
  EXPECT_TRUE(restart_finds(a));
}

}  // namespace
}  // namespace sluice::control
