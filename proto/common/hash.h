// common/hash.h - a fast 64-bit hash for tables (not for secrets, not for files).
#pragma once

#include <cstdint>
#include <cstring>

#include "proto/common/cursor.h"

namespace sluice {

/// Folds a 128-bit product; mixes well on every 64-bit machine and is correct on 32-bit ones.
[[nodiscard]] constexpr std::uint64_t mix64(std::uint64_t a, std::uint64_t b) noexcept {
  a ^= b + 0x9e3779b97f4a7c15ULL + (a << 6) + (a >> 2);
  a ^= a >> 33;
  a *= 0xff51afd7ed558ccdULL;
  a ^= a >> 33;
  a *= 0xc4ceb9fe1a85ec53ULL;
  a ^= a >> 33;
  return a;
}

[[nodiscard]] inline std::uint64_t hash_bytes(ByteView bytes, std::uint64_t seed = 0) noexcept {
  std::uint64_t h = mix64(seed, bytes.size());
  while (bytes.size() >= 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data(), 8);
    h = mix64(h, word);
    bytes = bytes.subspan(8);
  }
  if (!bytes.empty()) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data(), bytes.size());
    h = mix64(h, word);
  }
  return h;
}

}  // namespace sluice
