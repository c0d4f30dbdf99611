// dns/bounds.h - tunable numbers of the DNS room, each with its source.
#pragma once

#include <cstddef>
#include <cstdint>

#include "proto/common/clock.h"

namespace sluice::dns {

/// Largest UDP reply we send and promise to take: fits every link without fragments (DNS flag day
/// 2020).
inline constexpr std::size_t kUdpReplySize = 1232;
/// UDP replies to clients without EDNS0, RFC 1035 section 4.2.1.
inline constexpr std::size_t kPlainUdpSize = 512;
/// A TCP frame's length field is 16 bits, RFC 1035 section 4.2.2.
inline constexpr std::size_t kMaxMessage = 65535;

/// TTL of answers from `hosts` (features.md section 1).
inline constexpr std::uint32_t kHostsTtl_s = 10;
/// Aliases followed before a chain counts as a loop (features.md section 1).
inline constexpr int kAliasHops = 16;
/// Longest time an answer is kept, whatever its TTL: one day, RFC 8767 section 4.
inline constexpr std::uint32_t kMaxTtl_s = 86'400;
/// Longest time a negative answer is kept: three hours, RFC 2308 section 5.
inline constexpr std::uint32_t kMaxNegativeTtl_s = 10'800;
/// Every server failed: asked again after this. Short, so that a link that is back is noticed
/// within 5 s (B140), long enough to damp clients that repeat at once. RFC 2308 section 7 allows
/// up to 5 minutes.
inline constexpr std::uint32_t kFailureTtl_s = 2;
/// TTL of real addresses while fake ones cannot be used (design.md section 1).
inline constexpr std::uint32_t kAwayTtl_s = 1;
/// An expired answer may still serve the data plane this long while no server answers, RFC 8767.
inline constexpr Millis kMaxStale{86'400'000};
/// TTL of such a stale answer.
inline constexpr std::uint32_t kStaleTtl_s = 5;
/// Bytes of cached answers in all; entries are bounded by `cache-max-size`.
inline constexpr std::size_t kCacheBytes = std::size_t{4} * 1024 * 1024;

/// A set's answer is given up after this (features.md section 7).
inline constexpr Millis kQueryTimeout{5'000};
/// With IPv4 addresses in hand, IPv6 ones are waited for this long (`ipv6-timeout`, features.md).
inline constexpr Millis kIpv6Patience{100};
/// A UDP query is sent again after these times, to the same server from the same port.
inline constexpr Millis kUdpRepeats[] = {Millis{1'000}, Millis{2'500}};
/// Different questions asked upstream at once; more are answered SERVFAIL.
inline constexpr std::size_t kMaxLookups = 1'024;
/// Servers of one set that are asked in parallel.
inline constexpr std::size_t kMaxServers = 16;

/// A fake address waits this long for the data plane to hold its binding; then the answer carries
/// real addresses. A healthy data plane acknowledges within milliseconds; three missed heartbeats
/// are 750 ms.
inline constexpr Millis kBindTimeout{1'000};
/// Bindings sent in one change.
inline constexpr std::size_t kBindBatch = 512;
/// Last-good addresses kept per binding.
inline constexpr std::size_t kLastGood = 4;

/// Clients' queries that wait for something, over all listeners; more are dropped (UDP repeats).
inline constexpr std::size_t kMaxPending = 4'096;
/// TCP clients per listener.
inline constexpr std::size_t kMaxTcpClients = 256;
/// Queries of one TCP client that wait at once; its reading stops above that.
inline constexpr std::size_t kMaxPipelined = 32;
/// A TCP client that sends nothing is closed after this, RFC 7766 section 6.2.3.
inline constexpr Millis kTcpIdle{10'000};
/// A TCP client that does not take a reply is closed after this.
inline constexpr Millis kTcpWrite{5'000};
/// Datagrams handled before other descriptors get their turn.
inline constexpr std::size_t kUdpBurst = 64;

}  // namespace sluice::dns
