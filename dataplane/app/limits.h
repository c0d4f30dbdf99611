// app/limits.h - spans of this room, each with its source.
#pragma once

#include "proto/common/clock.h"

namespace sluice::app {

/// How long clients that a listener's old sockets have met are still taken in before these close.
/// A handshake in the LAN takes one round trip, 1-30 ms.
inline constexpr Millis kHandOver{100};

/// A helper's program is loaded in some milliseconds, tens of them on a slow router.
inline constexpr Millis kHelperStart{2'000};

/// A question that waits this long tells that sluice-proc is stalled. It takes 64 at a time and
/// looks for flow::kOwnerTimeout at most: a full house of 1,024 takes 0.8 s.
inline constexpr Millis kHelperStalled{2'000};

/// Between two tries to watch the helper and the links when descriptors have run out.
inline constexpr Millis kWatchPause{1'000};

/// Between two tries to bring a lost helper back. A try may itself hold home for
/// kernel::kOwnerGoneTimeout.
inline constexpr Millis kRecoverPause{100};

}  // namespace sluice::app
