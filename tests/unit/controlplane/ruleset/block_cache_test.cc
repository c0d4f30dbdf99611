// Blocks on a real disk, whose n-th call fails.
#include "controlplane/ruleset/block_cache.h"

#include <sys/stat.h>
#include <unistd.h>

#include "proto/ruleset/builder.h"
#include "tests/unit/controlplane/ruleset/failing_calls.h"
#include "tests/unit/controlplane/ruleset/rig.h"

namespace sluice::sets {
namespace {

contract::BlobPtr block_of(const std::string& name) {
  ruleset::Builder builder;
  builder.domain(name);
  return contract::make_blob(*builder.finish());
}

contract::Digest key_of(const std::string& text) {
  return contract::digest_of(as_byte_view(text));
}

std::string file_of(const test::Scratch& scratch, const contract::Digest& key) {
  return scratch.path("cache/blocks/" + contract::to_text(key) + ".block");
}

bool same(const contract::BlobPtr& a, const contract::BlobPtr& b) {
  return a->digest == b->digest && std::ranges::equal(a->bytes, b->bytes);
}

const SetProblem kOfContent{{compile::SetKind::geosite, "adz"}, "has no category", true};
const SetProblem kOfFiles{{compile::SetKind::provider, "ads"}, "there is no file", false};

TEST(BlockCache, GivesBackWhatWasPut) {
  const test::Scratch scratch;
  BlockCache cache(scratch.path("cache/blocks"));
  const contract::Digest key = key_of("one");
  EXPECT_FALSE(cache.get(key));
  const contract::BlobPtr block = block_of("a.test");
  const std::vector<SetProblem> problems = {kOfFiles, kOfContent};
  const contract::BlobPtr mapped = cache.put(key, block, problems);
  EXPECT_TRUE(same(mapped, block));
  EXPECT_NE(mapped->bytes.data(), block->bytes.data());
  const auto got = BlockCache(scratch.path("cache/blocks")).get(key);
  ASSERT_TRUE(got);
  EXPECT_TRUE(same(got->blob, block));
  // Files may be better by now; contents are the same.
  EXPECT_EQ(got->problems, std::vector<SetProblem>{kOfContent});
  EXPECT_EQ(cache.take_complaint(), std::nullopt);
}

TEST(BlockCache, ABlobOutlivesItsFileAndTheCache) {
  const test::Scratch scratch;
  const contract::BlobPtr block = block_of("a.test");
  contract::BlobPtr mapped;
  {
    BlockCache cache(scratch.path("cache/blocks"));
    mapped = cache.put(key_of("one"), block, {});
  }
  ASSERT_EQ(::unlink(file_of(scratch, key_of("one")).c_str()), 0);
  EXPECT_TRUE(same(mapped, block));
}

TEST(BlockCache, ADamagedFileIsAMissAndRemoved) {
  const test::Scratch scratch;
  BlockCache cache(scratch.path("cache/blocks"));
  const contract::Digest key = key_of("one");
  (void)cache.put(key, block_of("a.test"), {&kOfContent, 1});
  const std::string path = file_of(scratch, key);
  const std::string good = scratch.get("cache/blocks/" + contract::to_text(key) + ".block");
  ASSERT_GT(good.size(), 100U);
  const auto expect_miss = [&](const std::string& content, std::size_t at) {
    std::ofstream(path, std::ios::binary) << content;
    EXPECT_FALSE(cache.get(key)) << at;
    EXPECT_FALSE(std::filesystem::exists(path)) << at;
  };
  for (std::size_t at = 0; at < good.size(); ++at) {
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 0x04);
    expect_miss(bad, at);
    expect_miss(good.substr(0, at), at);
  }
  expect_miss(good + "?", good.size());
  std::ofstream(path, std::ios::binary) << good;
  EXPECT_TRUE(cache.get(key));
}

TEST(BlockCache, AnotherKeysFileIsForeign) {
  const test::Scratch scratch;
  BlockCache cache(scratch.path("cache/blocks"));
  (void)cache.put(key_of("one"), block_of("a.test"), {});
  ASSERT_EQ(
      ::rename(file_of(scratch, key_of("one")).c_str(), file_of(scratch, key_of("two")).c_str()),
      0);
  EXPECT_FALSE(cache.get(key_of("two")));
  ASSERT_EQ(::symlink("/dev/zero", file_of(scratch, key_of("three")).c_str()), 0);
  EXPECT_FALSE(cache.get(key_of("three")));
  ASSERT_EQ(::mkdir(file_of(scratch, key_of("four")).c_str(), 0700), 0);
  EXPECT_FALSE(cache.get(key_of("four")));
}

TEST(BlockCache, KeepsThoseUsedLast) {
  const test::Scratch scratch;
  BlockCache cache(scratch.path("cache/blocks"));
  int minute = 0;
  const auto age = [&](const char* name) {
    const timespec times[] = {{1'000'000 + 60 * minute, 0}, {1'000'000 + 60 * minute, 0}};
    ++minute;
    EXPECT_EQ(::utimensat(AT_FDCWD, file_of(scratch, key_of(name)).c_str(), times, 0), 0);
  };
  for (const char* name : {"one", "two", "three"}) {
    (void)cache.put(key_of(name), block_of("a.test"), {});
    age(name);
  }
  EXPECT_TRUE(cache.get(key_of("one")));
  scratch.put("cache/blocks/stray.new", "a death left it");
  (void)cache.put(key_of("four"), block_of("a.test"), {});
  EXPECT_FALSE(cache.get(key_of("two")));
  for (const char* name : {"one", "three", "four"}) EXPECT_TRUE(cache.get(key_of(name))) << name;
  EXPECT_FALSE(scratch.has("cache/blocks/stray.new"));
}

// The disk is full or broken at the n-th step: the block goes on from memory, one complaint.
TEST(BlockCache, AnyStepMayFail) {
  int failures = 0;
  for (int n = 0;; ++n) {
    const test::Scratch scratch;
    BlockCache cache(scratch.path("cache/blocks"));
    const contract::BlobPtr block = block_of("a.test");
    fail_after(n);
    const contract::BlobPtr first = cache.put(key_of("one"), block, {});
    const contract::BlobPtr second = cache.put(key_of("one"), block, {});
    const bool all_good = !fail_never();
    EXPECT_TRUE(same(first, block)) << n;
    EXPECT_TRUE(same(second, block)) << n;
    const bool complained = cache.take_complaint().has_value();
    EXPECT_EQ(cache.take_complaint(), std::nullopt) << n;
    const auto got = cache.get(key_of("one"));
    EXPECT_TRUE(!got || same(got->blob, block)) << n;
    if (all_good) {
      EXPECT_TRUE(got);
      EXPECT_FALSE(complained);
      break;
    }
    ++failures;
    (void)cache.put(key_of("one"), block, {});
    EXPECT_TRUE(cache.get(key_of("one"))) << n;
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(scratch.path("cache/blocks")), {}),
              1)
        << n;
  }
  EXPECT_GT(failures, 5);
}

}  // namespace
}  // namespace sluice::sets
