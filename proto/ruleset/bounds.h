// ruleset/bounds.h - bounds of a rule-set block; both the builder and the validator hold them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sluice::ruleset {

/// Lines of one list. The largest lists of the field, expanded, hold some 500,000 entries.
inline constexpr std::uint32_t kMaxLines = 1U << 22U;
/// Bytes of a block: what 4 Mi lines of 64 bytes need.
inline constexpr std::uint64_t kMaxBlock_bytes = 256ULL << 20U;
/// Sections: the kinds of today and as many again.
inline constexpr std::uint32_t kMaxSections = 32;
/// Buckets that a name probe may touch. At a load of 3/4 the builder needs 2 to 4; it grows the
/// table rather than pass this bound, so a look-up stays bounded whatever the block says.
inline constexpr std::uint32_t kMaxProbe = 16;
/// Look-up buckets of one prefix index: 256 KiB, which stays in a second-level cache.
inline constexpr std::uint32_t kMaxBuckets = 1U << 16U;

}  // namespace sluice::ruleset
