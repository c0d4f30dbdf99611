// route/bounds.h - bounds of what a manifest may hold. A manifest is hostile input: whatever is
// larger is refused with its place, so that building a snapshot costs bounded time and memory.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sluice::route {

/// Outbounds and groups together. Large subscriptions hold some thousand nodes.
inline constexpr std::size_t kMaxOutbounds = 16'384;
/// Members over all groups: 64 groups that each list every node of a large subscription.
inline constexpr std::size_t kMaxMembers = 1'048'576;
/// REMATCHes that one flow may take, each once; configurations of the field chain one or two.
inline constexpr std::size_t kMaxRematches = 16;
/// Outbounds on the way from a rule's target to its leaf. Nested groups in the field: 3 to 5.
inline constexpr std::size_t kMaxChain = 16;
inline constexpr std::size_t kMaxListeners = 256;
inline constexpr std::size_t kMaxUsers = 4'096;            ///< of one listener
inline constexpr std::size_t kMaxPrefixes = 65'536;        ///< of one access list
inline constexpr std::size_t kMaxDisplayName_bytes = 256;  ///< outbound, listener, rule type
inline constexpr std::size_t kMaxPayload_bytes = 1'024;    ///< rule payload as shown
/// User names and passwords: the length byte of RFC 1929 (1..255).
inline constexpr std::size_t kMaxCredential_bytes = 255;
/// Shadowsocks passwords are hashed, never sent.
inline constexpr std::size_t kMaxPassword_bytes = 1'024;
inline constexpr std::size_t kMaxDeviceName_bytes = 15;  ///< IFNAMSIZ - 1
/// LAN devices of the capture; as many as one command of sluice-nft takes (helper/limits.h).
inline constexpr std::size_t kMaxDevices = 32;
inline constexpr std::size_t kMaxFakeRanges = 8;
/// Bytes of one rule-set block: 4 Mi lines of 64 bytes.
inline constexpr std::size_t kMaxBlock_bytes = 256U << 20U;
/// Hits of the lines, of one snapshot; two are alive during a reload. A row for each of 8 workers
/// at 1,000,000 lines, the most that a manifest brings (wire/bounds.h); beyond it workers share
/// rows.
inline constexpr std::size_t kMaxHitCounts_bytes = 64U << 20U;
/// Idle and connect spans: one week. Longer ones are a unit mistake.
inline constexpr std::int64_t kMaxSpan_ms = 7LL * 24 * 3600 * 1000;

}  // namespace sluice::route
