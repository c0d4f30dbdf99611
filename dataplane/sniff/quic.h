// sniff/quic.h - the ClientHello of a QUIC connection, from its client's Initial packets.
//
//   datagram: [ Initial: CRYPTO 0..900 ] [ 0-RTT ]      coalesced, lost, repeated, out of order
//   datagram: [ Initial: CRYPTO 900..1800 ]
#pragma once

#include <array>

#include "dataplane/sniff/answer.h"
#include "dataplane/sniff/hello_bytes.h"
#include "dataplane/sniff/quic_open.h"

namespace sluice::sniff {

/// The hello of one client so far. Its packets keep the keys of its first one, except after Retry,
/// where it begins anew with the connection id that the server gave it.
class QuicHello {
 public:
  /// needs_more: packets of QUIC that do not suffice. nothing: not QUIC 1 or 2, or garbled.
  Answer feed(InitialOpener& opener, ByteView datagram) noexcept;
  /// The bytes of the hello so far can grow no further.
  [[nodiscard]] bool full() const noexcept { return bytes_.full(); }
  /// A packet was opened: its tag proves QUIC.
  [[nodiscard]] bool proven() const noexcept { return proven_; }

 private:
  Result<ByteView> open(InitialOpener& opener, const LongPacket& packet) noexcept;
  Result<ByteView> open_anew(InitialOpener& opener, const LongPacket& packet) noexcept;
  [[nodiscard]] bool keyed_for(const LongPacket& packet) const noexcept;
  Answer look() const noexcept;

  HelloBytes bytes_;
  InitialKeys keys_;
  std::array<std::byte, kMaxConnectionId> dcid_{};  ///< what keys_ follow from
  std::uint8_t dcid_size_ = 0;
  bool proven_ = false;
  QuicVersion version_ = QuicVersion::v1;
};

}  // namespace sluice::sniff
