#include "dataplane/crypto/aead.h"

#include <openssl/evp.h>

#include <array>

namespace sluice::crypto {
namespace {

/// Fetched once per process: an implicit fetch in every init takes a lock and a table walk.
const EVP_CIPHER* cipher_of(AeadKind kind) noexcept {
  static const std::array<EVP_CIPHER*, 3> ciphers{
      EVP_CIPHER_fetch(nullptr, "AES-128-GCM", nullptr),
      EVP_CIPHER_fetch(nullptr, "AES-256-GCM", nullptr),
      EVP_CIPHER_fetch(nullptr, "ChaCha20-Poly1305", nullptr)};
  return ciphers[static_cast<std::size_t>(kind)];
}

// The opaque Context of the header is the library's own object.
template <class C>
EVP_CIPHER_CTX* native(C* context) noexcept {
  return reinterpret_cast<EVP_CIPHER_CTX*>(context);
}
const unsigned char* raw(ByteView bytes) noexcept {
  return reinterpret_cast<const unsigned char*>(bytes.data());
}
unsigned char* raw(std::byte* bytes) noexcept {
  return reinterpret_cast<unsigned char*>(bytes);
}

}  // namespace

void Aead::Free::operator()(Context* context) const noexcept {
  EVP_CIPHER_CTX_free(native(context));
}

Result<Aead> Aead::make(AeadKind kind, Direction direction, ByteView key) noexcept {
  const EVP_CIPHER* cipher = cipher_of(kind);
  if (cipher == nullptr || key.size() != key_size(kind)) return fail(Errc::system);
  Aead out;
  out.context_.reset(reinterpret_cast<Context*>(EVP_CIPHER_CTX_new()));
  if (out.context_ == nullptr) return fail(Errc::system);
  if (EVP_CipherInit_ex2(native(out.context_.get()), cipher, raw(key), nullptr,
                         direction == Direction::seal ? 1 : 0, nullptr) != 1)
    return fail(Errc::system);
  return out;
}

Status Aead::rekey(ByteView key) noexcept {
  if (EVP_CipherInit_ex2(native(context_.get()), nullptr, raw(key), nullptr, -1, nullptr) != 1)
    return fail(Errc::system);
  return {};
}

Status Aead::begin(ByteView nonce) noexcept {
  if (EVP_CipherInit_ex2(native(context_.get()), nullptr, nullptr, raw(nonce), -1, nullptr) != 1)
    return fail(Errc::system);
  return {};
}

Status Aead::associate(ByteView clear) noexcept {
  if (clear.empty()) return {};
  int size = 0;
  if (EVP_CipherUpdate(native(context_.get()), nullptr, &size, raw(clear),
                       static_cast<int>(clear.size())) != 1)
    return fail(Errc::system);
  return {};
}

Status Aead::update(ByteView in, std::byte* out) noexcept {
  if (in.empty()) return {};
  int size = 0;
  if (EVP_CipherUpdate(native(context_.get()), raw(out), &size, raw(in),
                       static_cast<int>(in.size())) != 1)
    return fail(Errc::system);
  return {};
}

Status Aead::end_seal(ByteSpan tag) noexcept {
  std::array<unsigned char, kTagSize> none{};
  int size = 0;
  EVP_CIPHER_CTX* context = native(context_.get());
  if (EVP_CipherFinal_ex(context, none.data(), &size) != 1 ||
      EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, kTagSize, tag.data()) != 1)
    return fail(Errc::system);
  return {};
}

Status Aead::end_open(ByteView tag) noexcept {
  std::array<unsigned char, kTagSize> none{};
  int size = 0;
  EVP_CIPHER_CTX* context = native(context_.get());
  if (EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, kTagSize,
                          const_cast<std::byte*>(tag.data())) != 1)
    return fail(Errc::system);
  if (EVP_CipherFinal_ex(context, none.data(), &size) != 1) return fail(Errc::bad_tag);
  return {};
}

Status Aead::seal(ByteView nonce, ByteSpan bytes, ByteSpan tag) noexcept {
  const Status begun = begin(nonce);
  if (!begun) return begun;
  const Status done = update(bytes, bytes.data());
  return done ? end_seal(tag) : done;
}

Status Aead::open(ByteView nonce, ByteSpan bytes, ByteView tag) noexcept {
  const Status begun = begin(nonce);
  if (!begun) return begun;
  const Status done = update(bytes, bytes.data());
  return done ? end_open(tag) : done;
}

}  // namespace sluice::crypto
