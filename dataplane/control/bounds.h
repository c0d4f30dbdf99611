// control/bounds.h - spans and counts of the contract's server.
#pragma once

#include <cstddef>

#include "proto/common/clock.h"

namespace sluice::control {

/// The control plane's heartbeat (design section 1) and how many may be missed. The slack is for a
/// machine under load: a beat that is late by one scheduling turn is not missed.
inline constexpr Millis kHeartbeat{250};
inline constexpr Millis kHeartbeatSlack{50};
inline constexpr Millis kControlDead = kHeartbeat * 3 + kHeartbeatSlack;

/// What a stream may send beyond what has been read of it.
inline constexpr int kReadAhead_bytes = 64 * 1024;

inline constexpr std::size_t kMaxQuestions = 8192;  ///< asked and waiting, all workers together
/// Between an acknowledgement and the next look at the workers' counters. With the way there and
/// back it stays below the second that a killed data plane may lose (design section 4).
inline constexpr Millis kCounterPeriod{750};
/// A data plane that stops waits so long for the acknowledgement of its last counters.
inline constexpr Millis kFinalPatience{1500};
inline constexpr std::size_t kDeltasPerBatch = 1000;  ///< about 150 KiB, below a message's bound

inline constexpr Millis kFlowPeriod{1000};  ///< when the watcher names none
inline constexpr Millis kFlowPeriodLeast{100};
inline constexpr Millis kFlowPeriodMost{60'000};
inline constexpr std::size_t kMaxWatchers = 32;       ///< of each kind
inline constexpr std::size_t kMaxClosedHeld = 4096;   ///< closed flows held for one watcher
inline constexpr std::size_t kMaxRecordsHeld = 1024;  ///< log records held for one watcher
inline constexpr Millis kLogPeriod{100};

/// How long calls may finish by themselves when the server stops.
inline constexpr Millis kStopGrace{200};

}  // namespace sluice::control
