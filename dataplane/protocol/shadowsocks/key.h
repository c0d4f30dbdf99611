// shadowsocks/key.h - a method and the master key that its password gives.
//
//   master = EVP_BytesToKey(MD5, password)          once per outbound
//   subkey = HKDF-SHA1(master, salt, "ss-subkey")   per direction of a stream, per datagram
//
// Owner: the outbound. Thread: any, read-only after make().
#pragma once

#include <array>
#include <string_view>

#include "dataplane/crypto/aead.h"
#include "dataplane/crypto/kdf.h"
#include "dataplane/crypto/secret.h"

namespace sluice::shadowsocks {

inline constexpr std::size_t kMaxSalt = crypto::kMaxKeySize;

class Key {
 public:
  /// Errors: system, invalid (empty password).
  static Result<Key> make(crypto::AeadKind method, std::string_view password) noexcept;
  Key(const Key&) noexcept = default;
  Key& operator=(const Key&) noexcept = default;
  ~Key() { crypto::wipe(master_); }

  [[nodiscard]] crypto::AeadKind method() const noexcept { return method_; }
  /// Salts are as long as keys.
  [[nodiscard]] std::size_t salt_size() const noexcept { return crypto::key_size(method_); }
  /// Fills `out`, salt_size() bytes.
  Status subkey(ByteView salt, ByteSpan out) const noexcept;
  /// A cipher keyed with the subkey of `salt`. Errors: system.
  Result<crypto::Aead> cipher(crypto::Aead::Direction direction, ByteView salt) const noexcept;

 private:
  explicit Key(crypto::AeadKind method) noexcept : method_(method) {}
  crypto::AeadKind method_;
  std::array<std::byte, crypto::kMaxKeySize> master_{};
};

}  // namespace sluice::shadowsocks
