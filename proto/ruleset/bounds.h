// ruleset/bounds.h - bounds of a rule-set block; both the builder and the validator hold them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sluice::ruleset {

/// Lines of one list, and places in its expanded order. The largest lists of the field hold some
/// 500,000 entries.
inline constexpr std::uint32_t kMaxLines = 1U << 22U;
/// Lists that a walk may begin with, besides the list proper.
inline constexpr std::uint32_t kMaxEntries = 1U << 12U;
/// Entries of sets inside conditions that need a program, counted for each use.
inline constexpr std::uint32_t kMaxParts = 1U << 22U;
/// Sets that stand inside conditions.
inline constexpr std::uint32_t kMaxSetRefs = 1U << 16U;
/// Bytes of a block: what 4 Mi lines of 64 bytes need.
inline constexpr std::uint64_t kMaxBlock_bytes = 256ULL << 20U;
/// Sections: the kinds of today and as many again.
inline constexpr std::uint32_t kMaxSections = 64;
/// Buckets that a name probe may touch. At a load of 7/8 the builder needs 2 to 5; it grows the
/// table rather than pass this bound, so a look-up stays bounded whatever the block says.
inline constexpr std::uint32_t kMaxProbe = 16;
/// States of the keyword automaton: 48 MiB. A state is a byte that a keyword does not share with
/// another one, so 100,000 keywords of 20 bytes fit.
inline constexpr std::uint32_t kMaxKeyword_states = 1U << 21U;
/// Look-up buckets of one prefix index: 4 MiB, a quarter of the ranges of a million prefixes.
inline constexpr std::uint32_t kMaxBuckets = 1U << 20U;
/// AND, OR and NOT inside each other; SUB-RULEs inside each other.
inline constexpr std::uint32_t kMaxDepth = 32;
/// Operations of one condition; an OR over the process names of a large list is the longest.
inline constexpr std::uint32_t kMaxProgram_nodes = 1U << 16U;
/// Of a wildcard or a path (PATH_MAX); a longer one holds nothing.
inline constexpr std::size_t kMaxText_bytes = 4'096;
inline constexpr std::uint32_t kMaxPatterns = 1U << 16U;
inline constexpr std::size_t kMaxPattern_bytes = 1'024;
/// Patterns beyond RE2: 64 KiB each at most.
inline constexpr std::uint32_t kMaxBacktracking = 256;
/// Of all patterns of a block: compiled, with the states that they may keep. 3,600 short ones.
inline constexpr std::uint64_t kAllPatterns_bytes = 64ULL << 20U;
/// Steps of patterns that run for the same flows, since they need the same literal, or none: at
/// 100 ns a decision then waits 0.1 ms for each literal of the name, whatever a list holds.
inline constexpr std::uint32_t kMaxSteps = 1'024;
/// Of a pattern that may run up to kMatchLimit; others take one.
inline constexpr std::uint32_t kBacktracking_steps = 64;
inline constexpr std::uint32_t kMaxZones = 256;

// Patterns at work (patterns.cc).
/// What RE2 may take for a pattern of up to so many instructions. A third of it is for a search
/// from the end, which we never ask for, and half of the rest for the longest match. Patterns of
/// the field have 10 to 60 instructions and see 20 to 50 states; one that sees more than fit begins
/// to collect them anew.
struct PatternSize {
  int instructions;
  std::int64_t memory_bytes;
};
inline constexpr PatternSize kPatternSizes[] = {
    {64, 48 << 10}, {256, 96 << 10}, {2'700, 256 << 10}};
/// Calls of PCRE2's match loop: some 50 us, then the pattern does not match.
inline constexpr std::uint32_t kMatchLimit = 5'000;
inline constexpr std::uint32_t kDepthLimit = 250;
inline constexpr std::uint32_t kHeapLimit_kib = 256;

}  // namespace sluice::ruleset
