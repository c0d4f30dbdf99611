// config_store/store_limits.h - tunable numbers of this room.
#pragma once

#include <cstddef>

#include "proto/common/clock.h"

namespace sluice::config_store {

/// Earlier versions kept beside the running one (design section 4).
inline constexpr std::size_t kHistoryCount = 5;

/// Longest wait for a confirmation: one day.
inline constexpr Millis kMaxConfirm{86'400'000};

}  // namespace sluice::config_store
