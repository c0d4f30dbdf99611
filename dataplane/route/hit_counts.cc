#include "dataplane/route/hit_counts.h"

#include <algorithm>

#include "dataplane/route/bounds.h"
#include "proto/ruleset/bounds.h"

namespace sluice::route {
namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;

/// A counter's one writer needs no locked instruction.
template <class T>
void add_one(std::atomic<T>& counter, bool shared) noexcept {
  if (shared)
    counter.fetch_add(1, kRelaxed);
  else
    counter.store(counter.load(kRelaxed) + 1, kRelaxed);
}

}  // namespace

HitCounts::HitCounts(unsigned workers, std::size_t lines, std::size_t entries)
    : row_bytes_(row_bytes(lines, entries)) {
  static_assert(row_bytes(ruleset::kMaxLines, ruleset::kMaxEntries + 1) <= kMaxHitCounts_bytes);
  const std::size_t most = kMaxHitCounts_bytes / std::max<std::size_t>(row_bytes_, 1);
  const std::size_t rows = std::min<std::size_t>(std::max(workers, 1U), most);
  rows_.reserve(rows);
  for (std::size_t r = 0; r < rows; ++r) rows_.push_back({Counters<Line>(lines), Ends(entries)});
  shared_ = rows < workers;
}

HitCounts::Row& HitCounts::row_of(unsigned worker) noexcept {
  return rows_[shared_ ? worker % rows_.size() : worker];
}

void HitCounts::count(unsigned worker, std::uint32_t line, std::uint32_t now_s) noexcept {
  Line& counted = row_of(worker).lines[line];
  add_one(counted.hits, shared_);
  counted.last_hit_s.store(now_s, kRelaxed);
}

void HitCounts::count_end(unsigned worker, std::uint32_t entry) noexcept {
  add_one(row_of(worker).ends[entry], shared_);
}

std::uint32_t HitCounts::hits(std::uint32_t line) const noexcept {
  std::uint32_t sum = 0;
  for (const Row& row : rows_) sum += row.lines[line].hits.load(kRelaxed);
  return sum;
}

std::uint32_t HitCounts::last_hit(std::uint32_t line) const noexcept {
  std::uint32_t last = 0;
  for (const Row& row : rows_) last = std::max(last, row.lines[line].last_hit_s.load(kRelaxed));
  return last;
}

std::uint64_t HitCounts::ends(std::uint32_t entry) const noexcept {
  std::uint64_t sum = 0;
  for (const Row& row : rows_) sum += row.ends[entry].load(kRelaxed);
  return sum;
}

void HitCounts::carry_line(std::uint32_t line, std::uint32_t hits,
                           std::uint32_t last_hit_s) noexcept {
  rows_.front().lines[line].hits.store(hits, kRelaxed);
  rows_.front().lines[line].last_hit_s.store(last_hit_s, kRelaxed);
}

void HitCounts::carry_ends(std::uint32_t entry, std::uint64_t ends) noexcept {
  rows_.front().ends[entry].store(ends, kRelaxed);
}

}  // namespace sluice::route
