// ruleset/prefix_layout.h - sizes of a prefix index, for its look-up, validator and writer.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sluice::ruleset {

/// Of a segment: base(8) shift(4) first_bucket(4) bucket_count(4).
inline constexpr std::uint32_t kSegment_bytes = 20;
/// A boundary in two bytes holds the key's low bits inside its bucket.
inline constexpr std::uint32_t kMaxShortShift = 32 + 16;

/// The low `bits` (0..31) bits.
[[nodiscard]] constexpr std::uint32_t low_mask(std::uint32_t bits) noexcept {
  return (1U << bits) - 1;
}

}  // namespace sluice::ruleset
