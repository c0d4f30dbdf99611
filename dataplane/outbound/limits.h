// outbound/limits.h - tunable numbers of dialling, each with its reason.
#pragma once

#include <cstddef>

#include "proto/common/clock.h"

namespace sluice::outbound {

/// Head start of the preferred family (features.md section 4, "dial").
inline constexpr Millis kFallbackDelay{300};
/// Addresses tried for one destination (same source).
inline constexpr std::size_t kMaxAttempts = 10;
/// How long a protocol whose head travels with the first payload waits for that payload, before it
/// sends the head alone: a server that speaks first must not wait for the client.
inline constexpr Millis kFirstPayloadWait{30};

}  // namespace sluice::outbound
