// net/limits.h - tunable numbers of the socket helpers, each with its reason.
#pragma once

#include <cstddef>

#include "proto/common/clock.h"

namespace sluice {

/// The kernel caps it at net.core.somaxconn (4096 by default since Linux 5.4).
inline constexpr int kListenBacklog = 1024;
/// One descriptor in so many is kept from UDP flows, which only a timeout ends.
inline constexpr unsigned kReservedShare = 4;
/// Least time between two warnings that it was.
inline constexpr Millis kScarceWarning{10'000};
/// Buffers of one recvmmsg: a burst of a busy client, without spoiling more than half a megabyte
/// of cache when each is a full packet. 64 KiB each are address space, not memory, until touched.
inline constexpr std::size_t kDatagramBatch = 32;
/// Datagrams handed on or sent at once; a buffer of merged ones may hold as many.
inline constexpr std::size_t kSendBatch = 64;
/// Largest UDP payload: over IPv6 (65535 - 8) and over IPv4 (65535 - 20 - 8).
inline constexpr std::size_t kMaxDatagram = 65527;
inline constexpr std::size_t kMaxDatagramV4 = 65507;
/// Segments of one message: UDP_MAX_SEGMENTS of Linux 4.18 to 6.8.
inline constexpr std::size_t kMaxSegments = 64;
/// All of them together: what an IPv4 packet holds.
inline constexpr std::size_t kMaxSegmented = kMaxDatagramV4;
/// Largest segment that is tried: what an Ethernet frame holds over IPv4 (1500 - 20 - 8).
inline constexpr std::size_t kSegmentBytes = 1472;
/// A path that refuses segments of this size gets none: IPv4's smallest MTU that is met in practice
/// (576 - 20 - 8).
inline constexpr std::size_t kLeastSegment = 548;

}  // namespace sluice
