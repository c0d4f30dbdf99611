// config_store/store_limits.h - tunable numbers of this room.
#pragma once

#include <cstddef>

#include "proto/common/clock.h"

namespace sluice::config_store {

/// Earlier versions kept beside the running one (design section 4).
inline constexpr std::size_t kHistoryCount = 5;

/// A configuration larger than this is refused: the largest of the field, with all nodes inline,
/// are below 3 MB; it also bounds what a management message may hold.
inline constexpr std::size_t kMaxConfigBytes = 8U << 20;

/// Longest wait for a confirmation: one day.
inline constexpr Millis kMaxConfirm{86'400'000};

}  // namespace sluice::config_store
