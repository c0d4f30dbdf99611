// worker/limits.h - tunable numbers of a worker, each with its reason.
#pragma once

#include <cstddef>

#include "proto/common/clock.h"

namespace sluice {

/// How often idle blocks, pipes and buffers are looked at.
inline constexpr Millis kTrimInterval{1000};
/// Kept warm through quiet seconds; more is given back.
inline constexpr std::size_t kWarmBlocks = 8;
inline constexpr std::size_t kWarmPipes = 2;

}  // namespace sluice
