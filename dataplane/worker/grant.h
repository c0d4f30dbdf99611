// worker/grant.h - a worker's lease of a shared limit; the relay asks it each turn.
//
// A limit that several workers share has one home thread that hands out expiring leases by message
// (design section 3); overshoot is at most one lease per worker. Unlimited is a constant, so that
// asking costs one compare. Thread: the worker's.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sluice {

class Grant {
 public:
  /// No limit: take() always returns what was asked.
  constexpr Grant() noexcept = default;

  /// How many of `wanted` bytes may pass now; 0 = wait for a renewal.
  [[nodiscard]] std::size_t take(std::size_t wanted) noexcept {
    if (left_ == kUnlimited) return wanted;
    const std::size_t given = wanted < left_ ? wanted : static_cast<std::size_t>(left_);
    left_ -= given;
    return given;
  }
  /// Bytes taken but not used go back.
  void put_back(std::size_t unused) noexcept {
    if (left_ != kUnlimited) left_ += unused;
  }
  /// A renewal replaces what was left of the former lease.
  void renew(std::uint64_t size) noexcept { left_ = size; }
  void lift() noexcept { left_ = kUnlimited; }

 private:
  static constexpr std::uint64_t kUnlimited = UINT64_MAX;
  std::uint64_t left_ = kUnlimited;
};

}  // namespace sluice
