#include "dataplane/crypto/secret.h"

#include <openssl/crypto.h>
#include <openssl/rand.h>

namespace sluice::crypto {

Status random_bytes(ByteSpan out) noexcept {
  if (RAND_bytes(reinterpret_cast<unsigned char*>(out.data()), static_cast<int>(out.size())) != 1)
    return fail(Errc::system);
  return {};
}

bool equal_secret(ByteView a, ByteView b) noexcept {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

void wipe(ByteSpan bytes) noexcept {
  OPENSSL_cleanse(bytes.data(), bytes.size());
}

}  // namespace sluice::crypto
