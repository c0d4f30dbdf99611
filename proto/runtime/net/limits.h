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
/// Datagrams per recvmmsg/sendmmsg. Buffers of 64 KiB each are address space, not memory, until
/// touched.
inline constexpr std::size_t kDatagramBatch = 16;
/// Largest UDP payload over IPv4 (65535 - 20 - 8).
inline constexpr std::size_t kMaxDatagram = 65507;

}  // namespace sluice
