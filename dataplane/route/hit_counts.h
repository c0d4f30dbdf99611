// route/hit_counts.h - how often each line decided a flow, in one row of counters per worker.
//
//               line 0   1   2 ...      entry 0   1
//   worker 0        5    2   0              3    0     a row is written by its worker alone, on
//   worker 1        1    0   4              0    1     cache lines that no other row is on
//   hits(line)      6    2   4
//
// All rows together stay within kMaxHitCounts_bytes: with many lines and many workers there are
// fewer rows, and worker w writes row w modulo their number, by locked instructions.
//
// Thread: count() on the worker that it names; reading and carrying on any, sums are then as of
// about now.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace sluice::route {

class HitCounts {
 public:
  /// For workers 0 .. `workers` - 1, one at least. Needs lines <= ruleset::kMaxLines and entries
  /// <= ruleset::kMaxEntries + 1.
  HitCounts(unsigned workers, std::size_t lines, std::size_t entries);

  /// The line decided a flow at `now_s`.
  void count(unsigned worker, std::uint32_t line, std::uint32_t now_s) noexcept;
  /// A decision came to the end of the list that this entry walks.
  void count_end(unsigned worker, std::uint32_t entry) noexcept;

  [[nodiscard]] std::uint32_t hits(std::uint32_t line) const noexcept;  ///< wraps at 2^32
  /// Wall clock of the last one, seconds since 1970; 0 = never.
  [[nodiscard]] std::uint32_t last_hit(std::uint32_t line) const noexcept;
  [[nodiscard]] std::uint64_t ends(std::uint32_t entry) const noexcept;

  /// What an earlier snapshot counted, before any worker counts here.
  void carry_line(std::uint32_t line, std::uint32_t hits, std::uint32_t last_hit_s) noexcept;
  void carry_ends(std::uint32_t entry, std::uint64_t ends) noexcept;

  /// Of all counters: at most kMaxHitCounts_bytes.
  [[nodiscard]] std::size_t size_bytes() const noexcept { return rows_.size() * row_bytes_; }

 private:
  static constexpr std::size_t kCacheLine_bytes = 64;

  struct Line {
    std::atomic<std::uint32_t> hits = 0;
    std::atomic<std::uint32_t> last_hit_s = 0;
  };
  /// As many as fill a cache line, and begin on one.
  template <class T>
  struct alignas(kCacheLine_bytes) Block {
    static constexpr std::size_t kCount = kCacheLine_bytes / sizeof(T);
    std::array<T, kCount> items{};
  };
  template <class T>
  class Counters {
   public:
    explicit Counters(std::size_t count)
        : blocks_(std::make_unique<Block<T>[]>(block_count(count))) {}
    static constexpr std::size_t size_bytes(std::size_t count) noexcept {
      return block_count(count) * sizeof(Block<T>);
    }
    T& operator[](std::uint32_t i) noexcept {
      return blocks_[i / Block<T>::kCount].items[i % Block<T>::kCount];
    }
    const T& operator[](std::uint32_t i) const noexcept {
      return blocks_[i / Block<T>::kCount].items[i % Block<T>::kCount];
    }

   private:
    static constexpr std::size_t block_count(std::size_t count) noexcept {
      return (count + Block<T>::kCount - 1) / Block<T>::kCount;
    }

    std::unique_ptr<Block<T>[]> blocks_;
  };
  using Ends = Counters<std::atomic<std::uint64_t>>;
  struct Row {
    Counters<Line> lines;
    Ends ends;  // by entry
  };
  static constexpr std::size_t row_bytes(std::size_t lines, std::size_t entries) noexcept {
    return Counters<Line>::size_bytes(lines) + Ends::size_bytes(entries);
  }
  [[nodiscard]] Row& row_of(unsigned worker) noexcept;

  std::size_t row_bytes_;
  std::vector<Row> rows_;  // by worker, modulo their number
  bool shared_;            // a row may have several writers
};

}  // namespace sluice::route
