#include "dataplane/protocol/shadowsocks/key.h"

namespace sluice::shadowsocks {

Result<Key> Key::make(crypto::AeadKind method, std::string_view password) noexcept {
  if (password.empty()) return fail(Errc::invalid);
  Key key(method);
  const Status derived =
      crypto::password_key(password, ByteSpan(key.master_).first(key.salt_size()));
  if (!derived) return fail(derived.error());
  return key;
}

Status Key::subkey(ByteView salt, ByteSpan out) const noexcept {
  return crypto::hkdf_sha1(ByteView(master_).first(salt_size()), salt, as_byte_view("ss-subkey"),
                           out);
}

Result<crypto::Aead> Key::cipher(crypto::Aead::Direction direction, ByteView salt) const noexcept {
  std::array<std::byte, crypto::kMaxKeySize> room{};
  const ByteSpan subkey_bytes = ByteSpan(room).first(salt_size());
  const Status derived = subkey(salt, subkey_bytes);
  if (!derived) return fail(derived.error());
  auto cipher = crypto::Aead::make(method_, direction, subkey_bytes);
  crypto::wipe(room);
  return cipher;
}

}  // namespace sluice::shadowsocks
