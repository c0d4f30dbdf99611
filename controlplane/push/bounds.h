// push/bounds.h - spans of the data plane's client.
#pragma once

#include <cstddef>

#include "proto/common/clock.h"

namespace sluice::push {

/// Design section 1: a heartbeat each 250 ms, three missed (plus one scheduling turn) is dead.
inline constexpr Millis kHeartbeat{250};
inline constexpr Millis kDead{800};

inline constexpr Millis kBackoffLeast{50};
inline constexpr Millis kBackoffMost{1000};

inline constexpr Millis kHelloTimeout{2000};
inline constexpr Millis kCallTimeout{5000};
inline constexpr Millis kExplainTimeout{15'000};  ///< may ask for names
inline constexpr Millis kApplyTimeout{60'000};    ///< 256 MiB of blobs at most

/// Of an Apply; the data plane takes pieces of 256 KiB. Both ends hold a piece some times while it
/// travels, in heaps that keep what they once needed.
inline constexpr std::size_t kPiece_bytes = 64 * 1024;

/// So often the first manifest is sent without a verdict where another one could run instead. One
/// loss may be an accident of the start.
inline constexpr unsigned kFirstTries = 3;

/// Counters that could not be stored (a full disk) are offered to the store again after this.
inline constexpr Millis kCommitPause{1'000};

/// A stopping client waits so long for its cancelled calls, and looks this often.
inline constexpr Millis kStopGrace{500};
inline constexpr Millis kStopStep{5};

}  // namespace sluice::push
