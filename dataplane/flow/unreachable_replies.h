// flow/unreachable_replies.h - tells a captured client by ICMP that its datagrams do not arrive.
//
//   ICMP from the address that the client wrote to:
//     type, code, checksum, 0(4) | the client's IP header | its UDP header(8)
//
// The client's socket then fails with "connection refused" or "unreachable", as without us. Needs
// CAP_NET_RAW; without it nobody is told. Limited, as a kernel limits its own (RFC 4443 section
// 2.4). Owner: one TproxyUdp. Thread: its worker.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "proto/common/address.h"
#include "proto/common/clock.h"
#include "proto/common/cursor.h"
#include "proto/common/unique_fd.h"
#include "proto/runtime/net/error_queue.h"

namespace sluice::flow {

/// ICMPv6 head, IPv6 header, UDP header.
inline constexpr std::size_t kMaxUnreachable = 8 + 40 + 8;

/// The message, written to the front of `room`. Both endpoints are of one family. The checksum of
/// an ICMPv6 message is left to the kernel.
[[nodiscard]] ByteView write_unreachable(std::span<std::byte, kMaxUnreachable> room,
                                         const Endpoint& client, const Endpoint& to,
                                         Unreachable why) noexcept;

class UnreachableReplies {
 public:
  explicit UnreachableReplies(std::uint32_t mark) noexcept : mark_(mark) {}

  /// `client` sent to `to`, as it sees it.
  void tell(const Endpoint& client, const Endpoint& to, Unreachable why, Moment now) noexcept;

 private:
  [[nodiscard]] bool allowed(Moment now) noexcept;

  std::uint32_t mark_;
  UniqueFd v4_;
  UniqueFd v6_;
  Moment second_{};  ///< begin of the running one
  unsigned told_ = 0;
};

}  // namespace sluice::flow
