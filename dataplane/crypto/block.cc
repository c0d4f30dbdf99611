#include "dataplane/crypto/block.h"

#include <openssl/evp.h>

namespace sluice::crypto {
namespace {

/// Fetched once per process: an implicit fetch in every init takes a lock and a table walk.
const EVP_CIPHER* aes() noexcept {
  static EVP_CIPHER* const cipher = EVP_CIPHER_fetch(nullptr, "AES-128-ECB", nullptr);
  return cipher;
}

// The opaque Context of the header is the library's own object.
template <class C>
EVP_CIPHER_CTX* native(C* context) noexcept {
  return reinterpret_cast<EVP_CIPHER_CTX*>(context);
}
const unsigned char* raw(ByteView bytes) noexcept {
  return reinterpret_cast<const unsigned char*>(bytes.data());
}

}  // namespace

void BlockCipher::Free::operator()(Context* context) const noexcept {
  EVP_CIPHER_CTX_free(native(context));
}

Result<BlockCipher> BlockCipher::make() noexcept {
  if (aes() == nullptr) return fail(Errc::system);
  BlockCipher out;
  out.context_.reset(reinterpret_cast<Context*>(EVP_CIPHER_CTX_new()));
  EVP_CIPHER_CTX* const context = native(out.context_.get());
  if (context == nullptr || EVP_EncryptInit_ex2(context, aes(), nullptr, nullptr, nullptr) != 1 ||
      EVP_CIPHER_CTX_set_padding(context, 0) != 1)
    return fail(Errc::system);
  return out;
}

Status BlockCipher::rekey(ByteView key) noexcept {
  if (key.size() != kBlockSize ||
      EVP_EncryptInit_ex2(native(context_.get()), nullptr, raw(key), nullptr, nullptr) != 1)
    return fail(Errc::system);
  return {};
}

Status BlockCipher::encrypt(ByteView in, Block& out) noexcept {
  int size = 0;
  if (in.size() != kBlockSize ||
      EVP_EncryptUpdate(native(context_.get()), reinterpret_cast<unsigned char*>(out.data()), &size,
                        raw(in), static_cast<int>(in.size())) != 1)
    return fail(Errc::system);
  return {};
}

}  // namespace sluice::crypto
