#include "dataplane/crypto/kdf.h"

// The SHA1_* and SHA256_* calls keep their state on the stack; EVP allocates and frees one per
// digest, four times per derived key. Deprecated in 3.0, and part of every libcrypto since.
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

constexpr std::size_t kMd5Size = 16;

struct FreeDigest {
  void operator()(EVP_MD_CTX* context) const noexcept { EVP_MD_CTX_free(context); }
};

struct Sha1 {
  static constexpr std::size_t kSize = 20;
  using State = SHA_CTX;
  static void init(State* state) noexcept { SHA1_Init(state); }
  static void update(State* state, ByteView bytes) noexcept {
    SHA1_Update(state, bytes.data(), bytes.size());
  }
  static void final(unsigned char* out, State* state) noexcept { SHA1_Final(out, state); }
};

struct Sha256 {
  static constexpr std::size_t kSize = kSha256Size;
  using State = SHA256_CTX;
  static void init(State* state) noexcept { SHA256_Init(state); }
  static void update(State* state, ByteView bytes) noexcept {
    SHA256_Update(state, bytes.data(), bytes.size());
  }
  static void final(unsigned char* out, State* state) noexcept { SHA256_Final(out, state); }
};

constexpr std::size_t kHashBlock = 64;  // of both
template <class Hash>
using Digest = std::array<std::byte, Hash::kSize>;
using Parts = std::initializer_list<ByteView>;

template <class Hash>
void hash(ByteView pad, Parts parts, Digest<Hash>& out) noexcept {
  typename Hash::State state;
  Hash::init(&state);
  Hash::update(&state, pad);
  for (const ByteView part : parts) Hash::update(&state, part);
  Hash::final(reinterpret_cast<unsigned char*>(out.data()), &state);
}

/// RFC 2104 over the joined parts, which may hold `out` itself. The key has at most kHashBlock
/// bytes.
template <class Hash>
void hmac(ByteView key, Parts parts, Digest<Hash>& out) noexcept {
  std::array<std::byte, kHashBlock> pad{};
  std::ranges::copy(key, pad.begin());
  for (std::byte& x : pad) x ^= std::byte{0x36};
  Digest<Hash> inner;
  hash<Hash>(pad, parts, inner);
  for (std::byte& x : pad) x ^= std::byte{0x36 ^ 0x5c};
  hash<Hash>(pad, {inner}, out);
  wipe(pad);
}

/// RFC 5869 section 2.3.
template <class Hash>
Status expand(ByteView prk, ByteView info, ByteSpan out) noexcept {
  if (prk.size() > kHashBlock || out.size() > 255 * Hash::kSize) return fail(Errc::too_large);
  Digest<Hash> round{};
  std::uint8_t counter = 0;
  for (std::size_t at = 0; at < out.size(); at += Hash::kSize) {
    const std::array<std::byte, 1> number{static_cast<std::byte>(++counter)};
    const ByteView before = ByteView(round).first(at == 0 ? 0 : Hash::kSize);
    hmac<Hash>(prk, {before, info, number}, round);
    std::copy_n(round.begin(), std::min(Hash::kSize, out.size() - at),
                out.begin() + static_cast<std::ptrdiff_t>(at));
  }
  wipe(round);
  return {};
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
  if (salt.size() > kHashBlock) return fail(Errc::too_large);
  Digest<Sha1> prk;
  hmac<Sha1>(salt, {ikm}, prk);
  const Status done = expand<Sha1>(prk, info, out);
  wipe(prk);
  return done;
}

Status hkdf_sha256_extract(ByteView ikm, ByteView salt, Sha256Digest& prk) noexcept {
  if (salt.size() > kHashBlock) return fail(Errc::too_large);
  hmac<Sha256>(salt, {ikm}, prk);
  return {};
}

Status hkdf_sha256_expand(ByteView prk, ByteView info, ByteSpan out) noexcept {
  return expand<Sha256>(prk, info, out);
}

}  // namespace sluice::crypto
