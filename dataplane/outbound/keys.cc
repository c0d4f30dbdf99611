#include "dataplane/outbound/keys.h"

#include <optional>

namespace sluice::outbound {
namespace {

std::optional<crypto::AeadKind> kind_of(contract::Cipher cipher) noexcept {
  switch (cipher) {
    case contract::Cipher::aes_128_gcm:
      return crypto::AeadKind::aes_128_gcm;
    case contract::Cipher::aes_256_gcm:
      return crypto::AeadKind::aes_256_gcm;
    case contract::Cipher::chacha20_ietf_poly1305:
      return crypto::AeadKind::chacha20_poly1305;
    case contract::Cipher::none:
      break;
  }
  return std::nullopt;
}

}  // namespace

Result<const shadowsocks::Key*> Keys::get(contract::Cipher cipher, const std::string& password) {
  auto id = std::make_pair(cipher, password);
  if (const auto found = keys_.find(id); found != keys_.end()) return &found->second;
  const auto kind = kind_of(cipher);
  if (!kind) return fail(Errc::invalid);
  auto key = shadowsocks::Key::make(*kind, password);
  if (!key) return fail(key.error());
  return &keys_.emplace(std::move(id), *key).first->second;
}

}  // namespace sluice::outbound
