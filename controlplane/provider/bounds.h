// provider/bounds.h - tunable numbers of providers, each with its source.
#pragma once

#include <cstddef>

#include "proto/common/clock.h"

namespace sluice::provider {

/// Largest content, decoded: what a file of rules may be at most (ruleformats/bounds.h).
inline constexpr std::size_t kMaxContent = std::size_t{64} << 20U;
/// A download may be silent for this long; Mihomo's timeout, there for the whole download, which
/// a geosite.dat of 12 MiB does not meet on a slow line.
inline constexpr Millis kSilence{20'000};
/// The whole of one download: 64 MiB in this time are 110 KiB/s.
inline constexpr Millis kWholeFetch{600'000};
/// What is read of the page that tells of an error; such pages are a few KiB and end.
inline constexpr std::size_t kMaxErrorPage = std::size_t{64} << 10U;
/// Hops of one download; Go's client, which Mihomo uses, follows as many.
inline constexpr unsigned kMaxRedirects = 10;
/// Downloads at a time: two mirrors' worth for a home line, and a bound for memory.
inline constexpr unsigned kParallelFetches = 4;
/// Longest ETag or Last-Modified that is kept; real ones are below 100 bytes.
inline constexpr std::size_t kMaxValidator = 1024;

/// What an interval below it is taken for: servers are others' machines.
inline constexpr Millis kLeastInterval{10'000};
/// First wait after a failed refresh, doubled each time up to kRetryMost; Mihomo begins alike.
inline constexpr Millis kRetryFirst{10'000};
inline constexpr Millis kRetryMost{600'000};
/// A server's Retry-After counts up to here.
inline constexpr Millis kRetryAfterMost{3'600'000};
/// Each wait is lengthened by up to a quarter, so that many providers do not move in step.
inline constexpr int kJitterShare = 4;

/// Changes of a watched file that come closer together are one.
inline constexpr Millis kSettle{200};
/// How often a file is looked at while the kernel cannot tell of changes.
inline constexpr Millis kPoll{5'000};
/// Least time between two progress reports.
inline constexpr Millis kProgressEvery{100};

}  // namespace sluice::provider
