// sniff/quic_open.h - opens the Initial packets of a client (RFC 9001 section 5, RFC 9369 3.3).
//
// Their keys follow from the connection id that the client chose for its first packet, so whoever
// sees that packet can read it. They are no secret.
#pragma once

#include <array>

#include "dataplane/crypto/aead.h"
#include "dataplane/crypto/block.h"
#include "dataplane/sniff/limits.h"
#include "dataplane/sniff/quic_packet.h"

namespace sluice::sniff {

struct InitialKeys {
  std::array<std::byte, 16> key{};
  std::array<std::byte, crypto::kNonceSize> iv{};
  std::array<std::byte, crypto::kBlockSize> mask_key{};  ///< for header protection
};

/// Those of a client whose first packet had `dcid`. No allocation. Errors: too_large (more than
/// kMaxConnectionId bytes).
[[nodiscard]] Result<InitialKeys> client_initial_keys(QuicVersion version, ByteView dcid) noexcept;

/// The ciphers and the room for one opened packet. Owner: a worker, for all its flows; 2 KiB.
class InitialOpener {
 public:
  /// Errors: system.
  static Result<InitialOpener> make() noexcept;

  /// The frames in an Initial `packet`; valid until the next call. Allocates nothing. Errors:
  /// bad_tag, malformed (too short), too_large (kMaxInitial), system.
  Result<ByteView> open(const InitialKeys& keys, const LongPacket& packet) noexcept;

 private:
  crypto::Aead aead_;
  crypto::BlockCipher mask_;
  std::array<std::byte, kMaxInitial> plain_;
};

}  // namespace sluice::sniff
