#include "dataplane/crypto/kdf.h"

// The SHA1_* calls keep their state on the stack; EVP allocates and frees one per digest, four
// times per derived key. Deprecated in 3.0, and part of every libcrypto since.
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/evp.h>
#include <openssl/sha.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <memory>

#include "dataplane/crypto/secret.h"

namespace sluice::crypto {
namespace {

constexpr std::size_t kSha1Size = 20;
constexpr std::size_t kSha1Block = 64;
constexpr std::size_t kMd5Size = 16;

struct FreeDigest {
  void operator()(EVP_MD_CTX* context) const noexcept { EVP_MD_CTX_free(context); }
};

using Sha1 = std::array<std::byte, kSha1Size>;
using Parts = std::initializer_list<ByteView>;

void hash(ByteView pad, Parts parts, Sha1& out) noexcept {
  SHA_CTX state;
  SHA1_Init(&state);
  SHA1_Update(&state, pad.data(), pad.size());
  for (const ByteView part : parts) SHA1_Update(&state, part.data(), part.size());
  SHA1_Final(reinterpret_cast<unsigned char*>(out.data()), &state);
}

/// RFC 2104 over the joined parts, which may hold `out` itself. The key has at most kSha1Block
/// bytes.
void hmac(ByteView key, Parts parts, Sha1& out) noexcept {
  std::array<std::byte, kSha1Block> pad{};
  std::ranges::copy(key, pad.begin());
  for (std::byte& x : pad) x ^= std::byte{0x36};
  Sha1 inner;
  hash(pad, parts, inner);
  for (std::byte& x : pad) x ^= std::byte{0x36 ^ 0x5c};
  hash(pad, {inner}, out);
  wipe(pad);
}

}  // namespace

Status password_key(std::string_view password, ByteSpan key) noexcept {
  const std::unique_ptr<EVP_MD_CTX, FreeDigest> context(EVP_MD_CTX_new());
  if (context == nullptr) return fail(Errc::system);
  std::array<std::byte, kMd5Size> round{};
  for (std::size_t done = 0; done < key.size(); done += kMd5Size) {
    const std::size_t before = done == 0 ? 0 : kMd5Size;
    if (EVP_DigestInit_ex2(context.get(), EVP_md5(), nullptr) != 1 ||
        EVP_DigestUpdate(context.get(), round.data(), before) != 1 ||
        EVP_DigestUpdate(context.get(), password.data(), password.size()) != 1 ||
        EVP_DigestFinal_ex(context.get(), reinterpret_cast<unsigned char*>(round.data()),
                           nullptr) != 1)
      return fail(Errc::system);
    std::copy_n(round.begin(), std::min(kMd5Size, key.size() - done),
                key.begin() + static_cast<std::ptrdiff_t>(done));
  }
  wipe(round);
  return {};
}

Status hkdf_sha1(ByteView ikm, ByteView salt, ByteView info, ByteSpan out) noexcept {
  if (salt.size() > kSha1Block || out.size() > 255 * kSha1Size) return fail(Errc::too_large);
  Sha1 prk{};
  Sha1 round{};
  hmac(salt, {ikm}, prk);
  std::uint8_t counter = 0;
  for (std::size_t at = 0; at < out.size(); at += kSha1Size) {
    const std::array<std::byte, 1> number{static_cast<std::byte>(++counter)};
    const ByteView before = ByteView(round).first(at == 0 ? 0 : kSha1Size);
    hmac(prk, {before, info, number}, round);
    std::copy_n(round.begin(), std::min(kSha1Size, out.size() - at),
                out.begin() + static_cast<std::ptrdiff_t>(at));
  }
  wipe(prk);
  wipe(round);
  return {};
}

}  // namespace sluice::crypto
