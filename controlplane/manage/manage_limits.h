// manage/manage_limits.h - tunable numbers of this room.
#pragma once

#include <cstddef>
#include <cstdint>

#include "proto/common/clock.h"
#include "proto/common/config_size.h"

namespace sluice::manage {

/// Streams open at once (flows and log together); a person has a few terminals, a script one.
inline constexpr std::size_t kMaxWatchers = 32;

/// Log lines that wait for one slow reader, about 128 KiB; the oldest go first.
inline constexpr std::size_t kLogQueueCount = 1024;

/// Largest request: a configuration and its envelope.
inline constexpr int kMaxRequestBytes = static_cast<int>(kMaxConfigBytes) + 4096;

/// Bounds of the interval of WatchFlows: fast enough to look alive, slow enough to cost nothing.
inline constexpr std::uint32_t kMinInterval_ms = 200;
inline constexpr std::uint32_t kDefaultInterval_ms = 1000;
inline constexpr std::uint32_t kMaxInterval_ms = 60'000;

/// Longest wait for a confirmation, as config_store has it.
inline constexpr std::uint32_t kMaxConfirm_s = 86'400;

/// How long a stopping server waits for clients to take their last answers.
inline constexpr Millis kStopGrace{500};

}  // namespace sluice::manage
