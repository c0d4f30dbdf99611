// buffer/limits.h - sizes of pooled memory, each with its reason.
#pragma once

#include <cstddef>

namespace sluice {

/// One block: four pages, so that an idle block can be given back to the kernel page-exact. Holds a
/// full TLS or Shadowsocks record's worth of bytes next to its heads.
inline constexpr std::size_t kBlockBytes = 16 * 1024;
/// Room for the heads of the deepest stack known today (salt 32 + length and tag 18, SOCKS5 UDP
/// head 262), rounded up to a cache line.
inline constexpr std::size_t kHeadroom = 320;
/// Room for a record's trailer (AEAD tag 16), likewise.
inline constexpr std::size_t kTailroom = 64;
/// Blocks fetched from the system at once.
inline constexpr std::size_t kSlabBlocks = 16;

}  // namespace sluice
