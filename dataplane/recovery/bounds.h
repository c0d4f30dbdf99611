// recovery/bounds.h - sizes of what is kept in the run directory.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sluice::recovery {

/// One record of the binding log: 262,144 bindings (wire/bounds.h) of the usual 60 bytes are 16
/// MiB.
inline constexpr std::uint32_t kMaxRecord = 256U * 1024 * 1024;
/// The log is rewritten when it has grown to twice its compacted size plus this. Source: ours; one
/// rewrite of 1 MiB takes about 10 ms, and the run directory is memory.
inline constexpr std::uint64_t kCompactSlack = 256ULL * 1024;

inline constexpr std::uint64_t kMaxManifest = 64ULL * 1024 * 1024;
inline constexpr std::uint32_t kMaxBlobs = 4096;
inline constexpr std::size_t kMaxChoices = 4096;
/// What stands, what comes, and what an interrupted change or two left before.
inline constexpr std::size_t kMaxRouteNotes = 64;

}  // namespace sluice::recovery
