// kernel/limits.h - spans and numbers of this room, each with its source.
#pragma once

#include <cstddef>
#include <cstdint>

#include "proto/common/clock.h"

namespace sluice::kernel {

/// A command is one transaction: 1 ms for a table, 10 ms for 1,024 elements on a slow router;
/// modules that are loaded by the first one take longest.
inline constexpr Millis kCommandTimeout{2000};

/// A dead helper's table goes when the kernel closes its socket: 14 ms for a small one, 49 ms with
/// 195,000 elements. Until then nobody else may touch the name.
inline constexpr Millis kOwnerGoneTimeout{500};
inline constexpr Millis kOwnerGonePoll{5};

/// Neighbours remembered, 32 bytes each for the workers: 128 KiB. The kernel itself keeps 1,024 of
/// each family (gc_thresh3).
inline constexpr std::size_t kMaxNeighbours = 4096;

// Policy routing: below main (32766), above what mwan3 (1001..3300) leaves free at 1023 and 1024.
inline constexpr std::uint32_t kCaptureRulePriority = 1024;
inline constexpr std::uint32_t kCaptureRoutingTable = 100;

}  // namespace sluice::kernel
