#include "dataplane/route/hit_counts.h"

#include <algorithm>

namespace sluice::route {
namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;

/// Its one writer needs no locked instruction.
template <class T>
void add_one(std::atomic<T>& counter) noexcept {
  counter.store(counter.load(kRelaxed) + 1, kRelaxed);
}

}  // namespace

HitCounts::HitCounts(unsigned workers, std::size_t lines, std::size_t entries) {
  workers = std::max(workers, 1U);
  rows_.reserve(workers);
  for (unsigned w = 0; w < workers; ++w)
    rows_.push_back({Counters<Line>(lines), Counters<std::atomic<std::uint64_t>>(entries)});
}

void HitCounts::count(unsigned worker, std::uint32_t line, std::uint32_t now_s) noexcept {
  Line& counted = rows_[worker].lines[line];
  add_one(counted.hits);
  counted.last_hit_s.store(now_s, kRelaxed);
}

void HitCounts::count_end(unsigned worker, std::uint32_t entry) noexcept {
  add_one(rows_[worker].ends[entry]);
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
