// shadowsocks/datagram.h - one datagram, sealed and opened in place.
//
//   salt | sealed( address | payload ) | tag(16)      nonce: zeros, the subkey is the datagram's
//   own
//
// Owner: a packet end. Thread: its worker. Nothing allocates once made.
#pragma once

#include "dataplane/protocol/shadowsocks/key.h"
#include "dataplane/protocol/socks_address/socks_address.h"
#include "proto/runtime/net/datagram_batch.h"

namespace sluice::shadowsocks {

inline constexpr std::size_t kMaxDatagramHead = kMaxSalt + socks::kMaxAddress;
inline constexpr std::size_t kDatagramTail = crypto::kTagSize;

class DatagramCipher {
 public:
  /// `key` must outlive the cipher. Errors: system.
  static Result<DatagramCipher> make(const Key& key) noexcept;

  /// Prepends the address, seals, and prepends a random salt. Errors: no_room (headroom or
  /// tailroom is missing), system.
  Status seal(Packet& packet, const Destination& to) noexcept;
  /// The same with a given salt of key.salt_size() bytes: for known answers.
  Status seal_with(Packet& packet, const Destination& to, ByteView salt) noexcept;
  /// Leaves the payload; the address is a view into the packet's headroom. Errors, all of which
  /// mean drop: truncated, bad_tag, malformed, unsupported, system.
  Result<socks::Address> open(Packet& packet) noexcept;

 private:
  DatagramCipher(const Key& key, crypto::Aead sealer, crypto::Aead opener) noexcept
      : key_(&key), sealer_(std::move(sealer)), opener_(std::move(opener)) {}
  Status rekey(crypto::Aead& cipher, ByteView salt) noexcept;

  const Key* key_;
  crypto::Aead sealer_;
  crypto::Aead opener_;
};

}  // namespace sluice::shadowsocks
