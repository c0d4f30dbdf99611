// helper/limits.h - bounds of the helper's commands. They bound its memory (design section 7: 1.5
// MiB with a 20,000-prefix set), so they are checked before anything is built.
#pragma once

#include <cstddef>

namespace sluice::nft {

inline constexpr std::size_t kMaxFrameBytes = 32U << 10U;  ///< one SOCK_SEQPACKET message
inline constexpr std::size_t kMaxVerdictText = 240;        ///< bytes; one log line
inline constexpr std::size_t kMaxDevices = 32;             ///< LAN devices; each costs six rules
inline constexpr std::size_t kMaxUdpPorts = 64;            ///< one per worker
inline constexpr std::size_t kMaxExemptUids = 8;
inline constexpr std::size_t kMaxFakes = 8;     ///< ranges; each costs up to eight rules
inline constexpr std::size_t kMaxBypass = 256;  ///< static bypass prefixes
/// Prefixes in one command: two interval ends of at most 48 netlink bytes each must fit a batch.
inline constexpr std::size_t kMaxElements = 1024;
inline constexpr std::size_t kMaxDeviceName = 15;  ///< IFNAMSIZ - 1
/// One netlink transaction. Pages that are never touched cost nothing.
inline constexpr std::size_t kBatchBytes = 160U << 10U;

}  // namespace sluice::nft
