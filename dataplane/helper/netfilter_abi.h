// helper/netfilter_abi.h - the kernel's fixed numbers for hooks, priorities, families and verdicts.
//
// <linux/netfilter.h> has them, but cannot be included beside <netinet/in.h> with every C library.
// Source: include/uapi/linux/netfilter.h, netfilter_ipv4.h, icmp.h and icmpv6.h; they never change.
#pragma once

#include <cstdint>

namespace sluice::nft {

enum NetfilterHook : std::uint32_t {
  kHookPrerouting = 0,
  kHookInput = 1,
  kHookForward = 2,
  kHookOutput = 3,
};

inline constexpr std::int32_t kPriorityMangle = -150;
inline constexpr std::int32_t kPriorityDstnat = -100;
inline constexpr std::int32_t kPriorityFilter = 0;

inline constexpr std::uint8_t kFamilyInet = 1;
inline constexpr std::uint8_t kFamilyV4 = 2;
inline constexpr std::uint8_t kFamilyV6 = 10;

inline constexpr int kVerdictDrop = 0;
inline constexpr int kVerdictAccept = 1;

inline constexpr std::uint8_t kEchoRequestV4 = 8;
inline constexpr std::uint8_t kEchoRequestV6 = 128;

// Connection tracking: `ct direction` and the bit of `ct state new`.
inline constexpr std::uint8_t kDirectionReply = 1;
inline constexpr std::uint32_t kStateNew = 8;

}  // namespace sluice::nft
