// transport/limits.h - tunable numbers of ends, each with its reason.
#pragma once

#include <cstddef>

#include "proto/common/clock.h"
#include "proto/runtime/buffer/limits.h"

namespace sluice::transport {

/// Blocks one read may fill. 128 KiB is about what a socket holds after one wake-up of a bulk flow.
inline constexpr std::size_t kReadBlocks = 8;
/// Wire bytes one read of a handshake or a codec asks for.
inline constexpr std::size_t kReadBudget = kReadBlocks * kBlockBytes;
/// Parts of one writev: two full reads of the other end.
inline constexpr std::size_t kWriteParts = 2 * kReadBlocks;
/// An end with more than this in its out-queue stops its peer's reading: a quarter of what one read
/// may add, so that the queue stays near the size of one read.
inline constexpr std::size_t kOutMark = 2 * kBlockBytes;
/// Reads in a row that brought only a layer's own bytes before a coroutine lets others run.
inline constexpr unsigned kMaxSilentReads = 16;
/// Pause before trying again when the pool was empty: slices come back with every message that
/// leaves, and nothing tells when.
inline constexpr Millis kPoolRetry{20};
/// Batches one wake-up of a datagram port takes before other work gets its turn.
inline constexpr unsigned kBatchesPerTurn = 4;
/// ICMP errors that one wake-up takes from a port; more are left until the next one comes.
inline constexpr unsigned kErrorsPerTurn = 64;
/// Batches taken from a socket that is about to close: its buffer (net.core.rmem_default, 208 KiB)
/// holds less than 300 small datagrams.
inline constexpr unsigned kDrainBatches = 32;

}  // namespace sluice::transport
