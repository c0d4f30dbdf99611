// sniff/dtls.h - a DTLS ClientHello (RFC 6347 sections 4.1 and 4.2; 1.3 writes it alike), whose
// fragments may come in several records and datagrams.
//
//   record: 22 version(2) epoch(2) = 0 sequence(6) size(2) | fragments
//   fragment: 1 size(3) message(2) offset(3) size(3) | bytes
#pragma once

#include "dataplane/sniff/answer.h"
#include "dataplane/sniff/hello_bytes.h"

namespace sluice::sniff {

/// The first byte is that of a handshake record.
[[nodiscard]] inline bool is_dtls_handshake(ByteView datagram) noexcept {
  return !datagram.empty() && datagram.front() == std::byte{22};
}

/// The hello of one client so far. After HelloVerifyRequest it comes again under a new message
/// number; then the older one is forgotten.
class DtlsHello {
 public:
  /// needs_more: its fragments do not suffice. nothing: no ClientHello, or a garbled one. Once a
  /// fragment came, datagrams of another kind are passed over.
  Answer feed(ByteView datagram) noexcept;
  /// The bytes of the hello so far can grow no further.
  [[nodiscard]] bool full() const noexcept { return bytes_.full(); }

 private:
  bool take_records(ByteView datagram) noexcept;
  bool take_fragments(ByteView record) noexcept;

  HelloBytes bytes_;
  std::uint32_t size_ = 0;  ///< of the whole body; 0 until a fragment came
  std::uint16_t message_ = 0;
};

}  // namespace sluice::sniff
