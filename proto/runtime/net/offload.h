// net/offload.h - UDP segmentation and merging in the kernel (UDP_SEGMENT since Linux 4.18, UDP_GRO
// since 5.0): many datagrams of one size cross its stack as one.
#pragma once

#include <cstddef>

#include "proto/runtime/net/limits.h"

namespace sluice {

/// Whether this kernel takes UDP_SEGMENT. Asked once; an older one would ignore the control message
/// and send a datagram of the whole size.
[[nodiscard]] bool can_segment() noexcept;

/// Datagrams of one sender that arrive together may be received as one. Does nothing where the
/// kernel cannot: they then come one by one.
void ask_for_merged(int fd) noexcept;

/// What one socket has learnt of the paths it sends on.
struct SegmentLimit {
  /// Largest payload sent as a part of many; larger ones go alone, so that the kernel may fragment
  /// them. 0: nothing is segmented.
  std::size_t bytes = kSegmentBytes;

  /// The kernel refused segments of `size` bytes: they do not fit the path.
  void refused(std::size_t size) noexcept { bytes = size <= kLeastSegment ? 0 : size - 1; }
};

}  // namespace sluice
