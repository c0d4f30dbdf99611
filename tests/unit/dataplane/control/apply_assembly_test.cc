#include "dataplane/control/apply_assembly.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "proto/wire/bounds.h"
#include "proto/wire/manifest_bytes.h"
#include "tests/unit/dataplane/recovery/temp_dir.h"
#include "tests/unit/proto/wire/samples.h"

namespace sluice::control {
namespace {

const contract::BlobPtr kBlob = contract::make_blob(std::vector<std::byte>(600, std::byte{7}));

std::string sample_bytes() {
  contract::Manifest manifest = test::sample_manifest();
  manifest.ruleset = kBlob->digest;
  return wire::manifest_to_bytes(manifest);
}

v1::ApplyPart head(std::uint64_t manifest_size, const std::vector<contract::BlobPtr>& blobs) {
  v1::ApplyPart part;
  part.mutable_head()->set_manifest_size(manifest_size);
  for (const auto& blob : blobs) {
    auto* item = part.mutable_head()->add_blobs();
    item->set_digest(std::string(as_text(blob->digest)));
    item->set_size(blob->bytes.size());
  }
  return part;
}

v1::ApplyPart manifest_piece(std::string bytes) {
  v1::ApplyPart part;
  part.set_manifest(std::move(bytes));
  return part;
}

v1::ApplyPart blob_piece(const contract::BlobPtr& blob, std::size_t from, std::size_t size) {
  v1::ApplyPart part;
  part.set_blob(std::string(as_text(ByteView(blob->bytes).subspan(from, size))));
  return part;
}

/// What the parts, one after the other, are refused with; empty when all were taken.
std::string refusal(const std::vector<v1::ApplyPart>& parts, const BlobTable& held = {}) {
  const test::TempDir dir;
  ApplyAssembly assembly(dir.path());
  for (const auto& part : parts)
    if (const auto added = assembly.add(part); !added) return added.error().to_string();
  const auto done = assembly.finish(held);
  return done ? "" : done.error().to_string();
}

TEST(ApplyAssembly, PiecesOfAnySizeGiveTheWhole) {
  const std::string bytes = sample_bytes();
  const test::TempDir dir;
  for (const std::size_t step : {1UZ, 7UZ, 100UZ, 1000UZ}) {
    ApplyAssembly assembly(dir.path());
    ASSERT_TRUE(assembly.add(head(bytes.size(), {kBlob})));
    for (std::size_t at = 0; at < bytes.size(); at += step)
      ASSERT_TRUE(assembly.add(manifest_piece(bytes.substr(at, step))));
    for (std::size_t at = 0; at < 600; at += step)
      ASSERT_TRUE(assembly.add(blob_piece(kBlob, at, std::min(step, 600 - at))));
    const auto done = assembly.finish({});
    ASSERT_TRUE(done) << done.error().to_string();
    EXPECT_EQ(done->manifest_bytes, bytes);
    ASSERT_EQ(done->blobs.size(), 1U);
    EXPECT_TRUE(std::ranges::equal(done->blobs[0]->bytes, kBlob->bytes));
    EXPECT_EQ(assembly.came().count(kBlob->digest), 1U);
    EXPECT_TRUE(recovery::open_blob(dir.path(), kBlob->digest));
  }
}

TEST(ApplyAssembly, AHeldBlobNeedNotBeSent) {
  const std::string bytes = sample_bytes();
  EXPECT_EQ(refusal({head(bytes.size(), {}), manifest_piece(bytes)}, {{kBlob->digest, kBlob}}), "");
}

// One that the manifest does not need would stay in the run directory, which is memory.
TEST(ApplyAssembly, ABlobThatTheManifestDoesNotNeedIsRefusedBeforeItComes) {
  const std::string bytes = sample_bytes();
  const auto other = contract::make_blob(std::vector<std::byte>(600, std::byte{8}));
  const auto empty = contract::make_blob({});
  for (const auto& stray : {other, empty}) {
    const test::TempDir dir;
    ApplyAssembly assembly(dir.path());
    ASSERT_TRUE(assembly.add(head(bytes.size(), {kBlob, stray})));
    const auto added = assembly.add(manifest_piece(bytes));
    ASSERT_FALSE(added);
    EXPECT_EQ(added.error().place, "head.blobs[1]");
    EXPECT_TRUE(assembly.came().empty());
    EXPECT_TRUE(std::filesystem::is_empty(dir.path()));
  }
}

TEST(ApplyAssembly, EveryHostileOrderIsRefusedWithItsReason) {
  const std::string bytes = sample_bytes();
  const auto whole = manifest_piece(bytes);
  const auto good_head = head(bytes.size(), {kBlob});
  const auto other = contract::make_blob(std::vector<std::byte>(600, std::byte{8}));
  const auto expect = [](const std::string& got, const char* part) {
    EXPECT_NE(got.find(part), std::string::npos) << "got: " << got << " want: " << part;
  };
  expect(refusal({}), "head: did not come");
  expect(refusal({v1::ApplyPart{}}), "of no known kind");
  expect(refusal({whole}), "head: did not come first");
  expect(refusal({good_head, good_head}), "head: came twice");
  expect(refusal({good_head, whole, whole}), "manifest: is longer");
  expect(refusal({good_head, manifest_piece("")}), "1 to 262144");
  expect(refusal({good_head, manifest_piece(std::string(wire::kMaxPiece + 1, 'x'))}),
         "1 to 262144");
  expect(refusal({good_head, manifest_piece(bytes.substr(1))}), "manifest: ended after");
  expect(refusal({good_head, blob_piece(kBlob, 0, 600)}), "before the manifest was whole");
  expect(refusal({good_head, whole}), "head.blobs[0]: did not come in full");
  expect(refusal({good_head, whole, blob_piece(kBlob, 0, 599)}), "did not come in full");
  expect(refusal({good_head, whole, blob_piece(other, 0, 600)}), "other bytes than its digest");
  expect(refusal({good_head, whole, blob_piece(kBlob, 0, 600), blob_piece(kBlob, 0, 1)}),
         "beyond those of the head");
  expect(refusal({head(bytes.size(), {}), whole}), "neither sent nor held");
  expect(refusal({head(0, {})}), "head.manifest_size: is 0");
  expect(refusal({head(wire::kMaxManifest + 1, {})}), "above 64 MiB");
  auto big = good_head;
  big.mutable_head()->mutable_blobs(0)->set_size(wire::kMaxBlobTotal + 1);
  expect(refusal({big}), "head.blobs[0].size");
  auto wrap = head(bytes.size(), {kBlob, kBlob});
  wrap.mutable_head()->mutable_blobs(1)->set_size(UINT64_MAX);
  expect(refusal({wrap}), "head.blobs[1].size");
  auto odd = good_head;
  odd.mutable_head()->mutable_blobs(0)->set_digest("short");
  expect(refusal({odd}), "head.blobs[0].digest");
  std::string garbage(bytes.size(), '\xff');
  expect(refusal({head(garbage.size(), {}), manifest_piece(garbage)}), "not a serialized manifest");
}

}  // namespace
}  // namespace sluice::control
