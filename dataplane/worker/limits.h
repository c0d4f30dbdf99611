// worker/limits.h - tunable numbers of a worker, each with its reason.
#pragma once

#include <cstddef>

#include "proto/common/clock.h"

namespace sluice {

/// How often idle blocks, pipes and buffers are looked at.
inline constexpr Millis kTrimInterval{1000};
/// Pipes kept through quiet seconds; more are closed.
inline constexpr std::size_t kWarmPipes = 2;

}  // namespace sluice
