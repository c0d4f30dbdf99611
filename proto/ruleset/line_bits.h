// ruleset/line_bits.h - one flag per line, changed while matches run.
//
// Thread: any; relaxed, a decision sees the old or the new value.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

namespace sluice::ruleset {

class LineBits {
 public:
  LineBits() = default;
  explicit LineBits(std::uint32_t line_count)
      : words_(std::make_unique<std::atomic<std::uint32_t>[]>((line_count + 31) / 32)) {}

  /// Needs line < line_count.
  void set(std::uint32_t line, bool value) noexcept {
    const std::uint32_t bit = 1U << (line % 32);
    const std::uint32_t before = value
                                     ? words_[line / 32].fetch_or(bit, std::memory_order_relaxed)
                                     : words_[line / 32].fetch_and(~bit, std::memory_order_relaxed);
    if (((before & bit) != 0) == value) return;
    count_.fetch_add(value ? 1U : ~0U, std::memory_order_relaxed);
  }
  [[nodiscard]] bool test(std::uint32_t line) const noexcept {
    return ((words_[line / 32].load(std::memory_order_relaxed) >> (line % 32)) & 1U) != 0;
  }
  /// Lines that are set.
  [[nodiscard]] std::uint32_t count() const noexcept {
    return count_.load(std::memory_order_relaxed);
  }

 private:
  std::unique_ptr<std::atomic<std::uint32_t>[]> words_;
  std::atomic<std::uint32_t> count_{0};
};

}  // namespace sluice::ruleset
