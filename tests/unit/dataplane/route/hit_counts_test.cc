// Rows of counters by worker, summed when they are read.
#include "dataplane/route/hit_counts.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "dataplane/route/bounds.h"
#include "dataplane/route/matcher.h"
#include "proto/ruleset/bounds.h"
#include "tests/unit/dataplane/route/flows.h"
#include "tests/unit/dataplane/route/manifests.h"

namespace sluice::route {
namespace {

TEST(HitCounts, ALineHasTheHitsOfAllWorkersAndTheLastOfThem) {
  HitCounts counts(3, 20, 2);
  counts.count(0, 19, 100);
  counts.count(2, 19, 300);
  counts.count(2, 19, 200);
  counts.count(1, 0, 50);
  counts.count_end(0, 1);
  counts.count_end(2, 1);
  EXPECT_EQ(counts.hits(19), 3U);
  EXPECT_EQ(counts.last_hit(19), 200U);
  EXPECT_EQ(counts.hits(0), 1U);
  EXPECT_EQ(counts.hits(7), 0U);
  EXPECT_EQ(counts.last_hit(7), 0U);
  EXPECT_EQ(counts.ends(0), 0U);
  EXPECT_EQ(counts.ends(1), 2U);
}

TEST(HitCounts, WhatWasCarriedCountsOnce) {
  HitCounts counts(2, 1, 1);
  counts.carry_line(0, 7, 70);
  counts.carry_ends(0, 5);
  counts.count(1, 0, 80);
  counts.count_end(1, 0);
  EXPECT_EQ(counts.hits(0), 8U);
  EXPECT_EQ(counts.last_hit(0), 80U);
  EXPECT_EQ(counts.ends(0), 6U);
}

constexpr unsigned kWorkers = 4;
constexpr std::uint32_t kEach = 20'000;

/// All workers count line 1 and the end of entry 0 at once, `kEach` times.
void count_at_once(HitCounts& counts) {
  std::vector<std::thread> threads;
  for (unsigned w = 0; w < kWorkers; ++w)
    threads.emplace_back([&counts, w] {
      for (std::uint32_t i = 0; i < kEach; ++i) {
        counts.count(w, 1, 1);
        counts.count_end(w, 0);
      }
    });
  for (std::thread& thread : threads) thread.join();
}

TEST(HitCounts, NoHitOfWorkersAtOnceIsLost) {
  HitCounts counts(kWorkers, 3, 1);
  count_at_once(counts);
  EXPECT_EQ(counts.hits(1), kWorkers * kEach);
  EXPECT_EQ(counts.ends(0), kWorkers * kEach);
}

// As many lines as a block may have: there is room for one row.
TEST(HitCounts, NorOfWorkersThatShareARow) {
  HitCounts counts(kWorkers, ruleset::kMaxLines, ruleset::kMaxEntries + 1);
  count_at_once(counts);
  EXPECT_EQ(counts.hits(1), kWorkers * kEach);
  EXPECT_EQ(counts.ends(0), kWorkers * kEach);
}

TEST(HitCounts, StaysWithinItsBoundWhateverTheLinesAndTheWorkers) {
  for (const std::size_t lines : {0UZ, 1'000'000UZ, std::size_t{ruleset::kMaxLines}})
    for (const unsigned workers : {0U, 1U, 64U, 1000U}) {
      HitCounts counts(workers, lines, ruleset::kMaxEntries + 1);
      EXPECT_LE(counts.size_bytes(), kMaxHitCounts_bytes) << lines << " " << workers;
      for (unsigned w = 0; w < workers; ++w) counts.count_end(w, 1);
      EXPECT_EQ(counts.ends(1), workers) << lines;
    }
  // A row for each of few workers is the common case.
  EXPECT_GE(HitCounts(8, 1'000'000, 2).size_bytes(), 8 * 1'000'000 * 8UZ);
}

TEST(HitCounts, WorkersOfASnapshotCountApartAndAReloadKeepsTheSum) {
  test::Rules r;
  r.suffix("a.test", 5);
  r.always(0);
  const test::Applied applied = r.applied();
  const auto first = build_snapshot(applied.manifest, applied.blobs, 1, nullptr, 2);
  ASSERT_TRUE(first);
  for (const unsigned worker : {0U, 1U, 1U}) {
    test::Flow flow("a.test");
    flow.facts.worker = worker;
    Matcher m(**first, flow.facts);
    ASSERT_EQ(m.run(), Matcher::Ask::decided);
  }
  EXPECT_EQ((*first)->hits(0), 3U);
  const auto second = build_snapshot(applied.manifest, applied.blobs, 2, first->get(), 1);
  ASSERT_TRUE(second);
  EXPECT_EQ((*second)->hits(0), 3U);
  EXPECT_EQ((*second)->last_hit(0), (*first)->last_hit(0));
}

}  // namespace
}  // namespace sluice::route
