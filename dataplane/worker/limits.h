// worker/limits.h - tunable numbers of a worker, each with its reason.
#pragma once

#include <cstddef>

#include "proto/common/clock.h"

namespace sluice {

/// Pipe capacity asked for: 256 KiB moved a bulk flow at the same CPU per byte as 1 MiB in our
/// measurement (facts, item 4) and fits four times as many into the user's 64 MiB.
inline constexpr std::size_t kPipeBytes = 256 * 1024;
/// How often idle blocks, pipes and buffers are looked at.
inline constexpr Millis kTrimInterval{1000};
/// Kept warm through quiet seconds; more is given back.
inline constexpr std::size_t kWarmBlocks = 8;
inline constexpr std::size_t kWarmPipes = 2;

}  // namespace sluice
