// buffer/budget.h - one bound in bytes over all pools of a process.
//
// Thread: any; one relaxed atomic. Pools charge per slab or per warm block, not per packet.
#pragma once

#include <atomic>
#include <cstdint>

namespace sluice {

class MemoryBudget {
 public:
  explicit MemoryBudget(std::uint64_t bound) noexcept : bound_(bound) {}

  /// False, and nothing charged, when it would exceed the bound.
  [[nodiscard]] bool charge(std::uint64_t size) noexcept {
    const std::uint64_t before = used_.fetch_add(size, std::memory_order_relaxed);
    if (before + size <= bound_.load(std::memory_order_relaxed)) return true;
    used_.fetch_sub(size, std::memory_order_relaxed);
    return false;
  }
  /// For what cannot be refused any more: may exceed the bound, which stops those who ask.
  void charge_anyway(std::uint64_t size) noexcept {
    used_.fetch_add(size, std::memory_order_relaxed);
  }
  void release(std::uint64_t size) noexcept { used_.fetch_sub(size, std::memory_order_relaxed); }
  /// A lower bound than what is used stops further charges; nothing is taken back by force.
  void set_bound(std::uint64_t bound) noexcept { bound_.store(bound, std::memory_order_relaxed); }
  /// Nothing is left: whoever would begin something new waits.
  [[nodiscard]] bool spent() const noexcept { return used() >= bound(); }
  [[nodiscard]] std::uint64_t used() const noexcept {
    return used_.load(std::memory_order_relaxed);
  }
  [[nodiscard]] std::uint64_t bound() const noexcept {
    return bound_.load(std::memory_order_relaxed);
  }

 private:
  std::atomic<std::uint64_t> used_{0};
  std::atomic<std::uint64_t> bound_;
};

}  // namespace sluice
