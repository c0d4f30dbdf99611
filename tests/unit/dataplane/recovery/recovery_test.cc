#include "dataplane/recovery/recovery.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "dataplane/recovery/blob_file.h"
#include "dataplane/recovery/bounds.h"
#include "dataplane/recovery/route_note.h"
#include "proto/wire/manifest_bytes.h"
#include "tests/unit/dataplane/recovery/temp_dir.h"
#include "tests/unit/proto/wire/samples.h"

namespace sluice::recovery {
namespace {

using test::ip;
using test::TempDir;

contract::Binding binding(std::uint32_t address, const std::string& name) {
  return {IpAddress::v4(address), name, true, {ip("192.0.2.1"), ip("2001:db8::1")}};
}

std::map<IpAddress, std::string> names_of(const contract::BindingBatch& batch) {
  std::map<IpAddress, std::string> out;
  for (const auto& b : batch.add) out[b.address] = b.name;
  return out;
}

/// Three batches in the log of `dir`; what they add up to.
std::map<IpAddress, std::string> fill(const TempDir& dir) {
  Recovery fresh = load(dir.path());
  EXPECT_TRUE(fresh.messages.empty());
  EXPECT_TRUE(fresh.log->append({1, false, {binding(1, "a.test"), binding(2, "b.test")}, {}}));
  EXPECT_TRUE(fresh.log->append({2, false, {binding(3, "c.test")}, {IpAddress::v4(1)}}));
  EXPECT_TRUE(fresh.log->append({3, false, {binding(2, "d.test")}, {}}));
  return {{IpAddress::v4(2), "d.test"}, {IpAddress::v4(3), "c.test"}};
}

TEST(BindingLog, ReplaysWhatWasAppended) {
  const TempDir dir;
  const auto expected = fill(dir);
  const Recovery again = load(dir.path());
  EXPECT_TRUE(again.messages.empty());
  EXPECT_EQ(names_of(again.bindings), expected);
  EXPECT_EQ(again.bindings.number, 3U);
  EXPECT_TRUE(again.bindings.replace);
  for (const auto& b : again.bindings.add)
    EXPECT_EQ(b.last_good, (std::vector{ip("192.0.2.1"), ip("2001:db8::1")}));
}

TEST(BindingLog, AReplacingBatchStartsAnew) {
  const TempDir dir;
  fill(dir);
  {
    Recovery r = load(dir.path());
    const auto before = r.log->size();
    ASSERT_TRUE(r.log->append({9, true, {binding(7, "z.test")}, {}}));
    EXPECT_LT(r.log->size(), before);
    ASSERT_TRUE(r.log->append({10, false, {binding(8, "y.test")}, {}}));
  }
  const Recovery again = load(dir.path());
  EXPECT_EQ(names_of(again.bindings),
            (std::map<IpAddress, std::string>{{IpAddress::v4(7), "z.test"},
                                              {IpAddress::v4(8), "y.test"}}));
  EXPECT_EQ(again.bindings.number, 10U);
}

TEST(BindingLog, IsRewrittenWhenMostOfItIsOutdated) {
  const TempDir dir;
  Recovery r = load(dir.path());
  std::uint64_t largest = 0;
  for (std::uint64_t i = 1; i <= 20'000; ++i) {
    ASSERT_TRUE(r.log->append(
        {i, false, {binding(static_cast<std::uint32_t>(i % 10 + 1), "name.test")}, {}}));
    largest = std::max(largest, r.log->size());
  }
  EXPECT_LT(largest, kCompactSlack + 8192);
  const Recovery again = load(dir.path());
  EXPECT_EQ(again.bindings.add.size(), 10U);
  EXPECT_EQ(again.bindings.number, 20'000U);
}

TEST(BindingLog, ATailCutAnywhereIsMovedAsideAndTheRestKept) {
  const TempDir dir;
  fill(dir);
  const std::string whole = dir.read("bindings.log");
  for (std::size_t cut = 8; cut < whole.size(); ++cut) {
    dir.write("bindings.log", whole.substr(0, cut));
    Recovery r = load(dir.path());
    ASSERT_TRUE(r.log) << cut;
    EXPECT_LT(r.bindings.number, 3U) << cut;
    // The log goes on from what was good.
    ASSERT_TRUE(r.log->append({4, false, {binding(9, "later.test")}, {}}));
    const Recovery again = load(dir.path());
    EXPECT_TRUE(again.messages.empty()) << cut;
    EXPECT_TRUE(names_of(again.bindings).contains(IpAddress::v4(9))) << cut;
  }
}

TEST(BindingLog, AFlippedBitEndsTheReplayThereWithAMessage) {
  const TempDir dir;
  fill(dir);
  const std::string whole = dir.read("bindings.log");
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string bad = whole;
    bad[at] = static_cast<char>(bad[at] ^ 0x20);
    dir.write("bindings.log", bad);
    const Recovery r = load(dir.path());
    ASSERT_TRUE(r.log) << at;
    ASSERT_EQ(r.messages.size(), 1U) << at;
    EXPECT_TRUE(dir.has("bindings.log.damaged"));
    for (const auto& [address, name] : names_of(r.bindings)) EXPECT_TRUE(name.ends_with(".test"));
  }
}

TEST(BindingLog, AFailedAppendLeavesTheFileAsItWas) {
  const TempDir dir;
  Recovery r = load(dir.path());
  ASSERT_TRUE(r.log->append({1, false, {binding(1, "a.test")}, {}}));
  const std::string before = dir.read("bindings.log");
  // A folder in the way of the temporary file makes the rewrite fail.
  std::filesystem::create_directory(dir.path() + "/bindings.log.new");
  EXPECT_FALSE(r.log->append({2, true, {}, {}}));
  EXPECT_EQ(dir.read("bindings.log"), before);
  EXPECT_TRUE(r.log->append({2, false, {binding(2, "b.test")}, {}}));
}

contract::Manifest manifest_with(const contract::BlobPtr& blob) {
  contract::Manifest m = test::sample_manifest();
  m.ruleset = blob->digest;
  return m;
}

const contract::BlobPtr kBlob = contract::make_blob(std::vector<std::byte>(1000, std::byte{7}));

std::string file_of(const contract::BlobPtr& blob) {
  return contract::to_text(blob->digest) + ".blob";
}

TEST(SnapshotFile, ComesBackAsItWasSaved) {
  const TempDir dir;
  const contract::Manifest manifest = manifest_with(kBlob);
  ASSERT_TRUE(save_snapshot(dir.path(), wire::manifest_to_bytes(manifest), {kBlob}));
  const Recovery r = load(dir.path());
  ASSERT_TRUE(r.snapshot);
  EXPECT_EQ(r.snapshot->manifest, manifest);
  ASSERT_EQ(r.snapshot->blobs.size(), 1U);
  EXPECT_TRUE(std::ranges::equal(r.snapshot->blobs[0]->bytes, kBlob->bytes));
  EXPECT_TRUE(r.messages.empty());
}

TEST(SnapshotFile, IsRefusedWhenCutOrChangedAnywhere) {
  const TempDir dir;
  ASSERT_TRUE(save_snapshot(dir.path(), wire::manifest_to_bytes(manifest_with(kBlob)), {kBlob}));
  const std::string whole = dir.read("snapshot");
  for (std::size_t at = 0; at < whole.size(); ++at) {
    EXPECT_FALSE(decode_snapshot(as_byte_view(whole).first(at), dir.path())) << at;
    std::string bad = whole;
    bad[at] = static_cast<char>(bad[at] ^ 1);
    EXPECT_FALSE(decode_snapshot(as_byte_view(bad), dir.path())) << at;
  }
  EXPECT_TRUE(decode_snapshot(as_byte_view(whole), dir.path()));
  EXPECT_FALSE(decode_snapshot(as_byte_view(whole + "x"), dir.path()));
}

TEST(SnapshotFile, ADamagedOneIsMovedAsideWithAMessage) {
  const TempDir dir;
  dir.write("snapshot", "garbage");
  const Recovery r = load(dir.path());
  EXPECT_FALSE(r.snapshot);
  ASSERT_EQ(r.messages.size(), 1U);
  EXPECT_NE(r.messages[0].find("snapshot.damaged"), std::string::npos);
  EXPECT_TRUE(dir.has("snapshot.damaged"));
  EXPECT_FALSE(dir.has("snapshot"));
}

TEST(SnapshotFile, OneWithoutItsBlobIsRefused) {
  const TempDir dir;
  ASSERT_TRUE(save_snapshot(dir.path(), wire::manifest_to_bytes(manifest_with(kBlob)), {}));
  EXPECT_FALSE(load(dir.path()).snapshot);
  ASSERT_TRUE(save_snapshot(dir.path(), wire::manifest_to_bytes(manifest_with(kBlob)), {kBlob}));
  remove_blob(dir.path(), kBlob->digest);
  EXPECT_FALSE(load(dir.path()).snapshot);
  EXPECT_TRUE(dir.has("snapshot.damaged"));
}

TEST(SnapshotFile, OneWithADamagedBlobIsRefusedAndTheBlobGoes) {
  const TempDir dir;
  ASSERT_TRUE(save_snapshot(dir.path(), wire::manifest_to_bytes(manifest_with(kBlob)), {kBlob}));
  dir.write(file_of(kBlob), std::string(999, '\7') + '\6');
  EXPECT_FALSE(load(dir.path()).snapshot);
  EXPECT_FALSE(dir.has(file_of(kBlob)));
}

TEST(SnapshotFile, LeavesNoBlobsButItsOwn) {
  const TempDir dir;
  const contract::BlobPtr later = contract::make_blob(std::vector<std::byte>(10, std::byte{8}));
  dir.write("blob.new", "cut");
  ASSERT_TRUE(save_snapshot(dir.path(), wire::manifest_to_bytes(manifest_with(kBlob)), {kBlob}));
  ASSERT_TRUE(save_snapshot(dir.path(), wire::manifest_to_bytes(manifest_with(later)), {later}));
  EXPECT_FALSE(dir.has(file_of(kBlob)));
  EXPECT_FALSE(dir.has("blob.new"));
  EXPECT_TRUE(dir.has(file_of(later)));
  EXPECT_TRUE(load(dir.path()).snapshot);
  forget(dir.path());
  EXPECT_TRUE(std::filesystem::is_empty(dir.path()));
}

TEST(Choices, StartTheSnapshotWithWhatWasSelected) {
  const TempDir dir;
  contract::Manifest manifest;
  manifest.outbounds = {{.name = "a"}, {.name = "b"}, {.name = "G", .members = {0, 1}}};
  const auto digest = save_snapshot(dir.path(), wire::manifest_to_bytes(manifest), {});
  ASSERT_TRUE(digest);
  ASSERT_TRUE(save_choices(dir.path(), {*digest, {{"G", "b"}, {"gone", "a"}}}));
  const Recovery r = load(dir.path());
  ASSERT_TRUE(r.snapshot);
  EXPECT_EQ(r.snapshot->manifest.outbounds[2].initial_choice, 1U);
  EXPECT_EQ(r.choices.size(), 2U);
}

// Killed between saving a snapshot and its (empty) choices.
TEST(Choices, OfAnotherSnapshotAreLeftOut) {
  const TempDir dir;
  contract::Manifest manifest;
  manifest.outbounds = {{.name = "a"}, {.name = "b"}, {.name = "G", .members = {0, 1}}};
  const auto former = save_snapshot(dir.path(), wire::manifest_to_bytes(manifest), {});
  ASSERT_TRUE(former);
  ASSERT_TRUE(save_choices(dir.path(), {*former, {{"G", "b"}}}));
  manifest.outbounds.push_back({.name = "c"});
  ASSERT_TRUE(save_snapshot(dir.path(), wire::manifest_to_bytes(manifest), {}));
  const Recovery r = load(dir.path());
  ASSERT_TRUE(r.snapshot);
  EXPECT_EQ(r.snapshot->manifest.outbounds[2].initial_choice, 0U);
  EXPECT_TRUE(r.choices.empty());
  ASSERT_EQ(r.messages.size(), 1U);
}

TEST(Choices, DamagedOnesAreRefused) {
  const TempDir dir;
  ASSERT_TRUE(save_choices(dir.path(), {{}, {{"G", "b"}}}));
  const std::string whole = dir.read("choices");
  EXPECT_TRUE(decode_choices(as_byte_view(whole)));
  for (std::size_t cut = 0; cut < whole.size(); ++cut)
    EXPECT_FALSE(decode_choices(as_byte_view(whole).first(cut))) << cut;
}

TEST(RouteNote, ComesBackAndGoesWhenNothingIsNoted) {
  const TempDir dir;
  EXPECT_TRUE(load_routes(dir.path()).empty());
  const std::vector<RouteNote> notes{{100, 1024, 0xff00, 0x200}, {7000, 70'000, 0xf0, 0x10}};
  ASSERT_TRUE(save_routes(dir.path(), notes));
  EXPECT_EQ(load_routes(dir.path()), notes);
  ASSERT_TRUE(save_routes(dir.path(), {}));
  EXPECT_FALSE(dir.has("routes"));
  EXPECT_TRUE(save_routes(dir.path(), {}));
}

TEST(RouteNote, DamagedOnesAreMovedAside) {
  const TempDir dir;
  ASSERT_TRUE(save_routes(dir.path(), {{100, 1024, 0xff00, 0x200}}));
  const std::string whole = dir.read("routes");
  for (std::size_t cut = 0; cut < whole.size(); ++cut)
    EXPECT_FALSE(decode_routes(as_byte_view(whole).first(cut))) << cut;
  dir.write("routes", whole.substr(1));
  EXPECT_TRUE(load_routes(dir.path()).empty());
  EXPECT_TRUE(dir.has("routes.damaged"));
}

TEST(Recovery, AnUnwritableFolderStillStarts) {
  const Recovery r = load("/nonexistent-folder");
  EXPECT_FALSE(r.log);
  EXPECT_FALSE(r.snapshot);
  EXPECT_TRUE(r.bindings.add.empty());
  EXPECT_FALSE(r.messages.empty());
}

}  // namespace
}  // namespace sluice::recovery
