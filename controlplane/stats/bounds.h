// stats/bounds.h - how large the stores may grow, each with its reason.
#pragma once

#include <cstddef>
#include <cstdint>

#include "proto/common/clock.h"

namespace sluice::stats {

/// Different keys kept per kind of total; what comes later is added to "other". 4,096 keys of 40
/// bytes in five kinds stay below 2 MiB on disk.
inline constexpr std::size_t kMaxKeys = 4'096;
/// A longer host, rule or user name is cut to this: a DNS name has at most 253 bytes.
inline constexpr std::size_t kMaxKeyBytes = 256;
/// Hosts that the hour which runs tells apart; what comes later in it is "other". Most of them go
/// when it ends (Settings::top_hosts).
inline constexpr std::size_t kHostsPerHour = 4'096;
/// Texts of the history whose numbers are remembered, about 100 bytes each.
inline constexpr std::size_t kMaxWordsKnown = 8'192;
/// Rows of one answer, below the bound of a message; what is below them is added under "other".
inline constexpr std::size_t kMaxRows = 10'000;
/// Gaps kept; a data plane that dies more often has other troubles.
inline constexpr std::size_t kMaxGaps = 100;
/// A data plane that is killed had handed over everything but its last moments (design section 4).
inline constexpr Millis kMostMissing{1'000};
/// In memory: how often stats.db is copied out (design section 4).
inline constexpr Millis kCopyOut{3'600'000};
/// Bindings that are loaded: what the DNS room may save (`sluice: fake-ip-size` is at most a
/// million, two families). A file with more is not ours.
inline constexpr std::size_t kMaxBindings = 2'000'000;
/// Choices kept; a configuration has one per group.
inline constexpr std::size_t kMaxChoices = 4'096;
/// Jobs that wait for the writer. Above that the oldest work is waited for by nobody: new jobs are
/// refused with no_room and the caller keeps what it wanted to store.
inline constexpr std::size_t kMaxJobs = 4'096;
/// A store that could not be opened or written is tried again not sooner than this.
inline constexpr Millis kRetryAfter{5'000};
/// Pages of the write-ahead log after which it is copied into the file (4 KiB each).
inline constexpr int kWalPages = 256;

}  // namespace sluice::stats
