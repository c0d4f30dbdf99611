#include "dataplane/crypto/kdf.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>

#include <algorithm>
#include <array>

#include "dataplane/crypto/secret.h"

namespace sluice::crypto {
namespace {

constexpr std::size_t kSha1Size = 20;
constexpr std::size_t kSha1Block = 64;
constexpr std::size_t kMd5Size = 16;

struct FreeDigest {
  void operator()(EVP_MD_CTX* context) const noexcept { EVP_MD_CTX_free(context); }
};

template <class C>
EVP_MD_CTX* native(C* context) noexcept {
  return reinterpret_cast<EVP_MD_CTX*>(context);
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

void HkdfSha1::Free::operator()(Context* context) const noexcept {
  EVP_MD_CTX_free(native(context));
}

Result<HkdfSha1> HkdfSha1::make() noexcept {
  HkdfSha1 out;
  out.context_.reset(reinterpret_cast<Context*>(EVP_MD_CTX_new()));
  if (out.context_ == nullptr) return fail(Errc::system);
  static const EVP_MD* const sha1 = EVP_MD_fetch(nullptr, "SHA1", nullptr);
  if (sha1 == nullptr || EVP_DigestInit_ex2(native(out.context_.get()), sha1, nullptr) != 1)
    return fail(Errc::system);
  return out;
}

Status HkdfSha1::hash(ByteView a, ByteView b, ByteView c, ByteView d, ByteSpan out) noexcept {
  EVP_MD_CTX* context = native(context_.get());
  bool ok = EVP_DigestInit_ex2(context, nullptr, nullptr) == 1;
  for (const ByteView part : {a, b, c, d})
    ok = ok && EVP_DigestUpdate(context, part.data(), part.size()) == 1;
  ok =
      ok && EVP_DigestFinal_ex(context, reinterpret_cast<unsigned char*>(out.data()), nullptr) == 1;
  return ok ? Status{} : fail(Errc::system);
}

/// RFC 2104 over a | b | c. Keys here (a salt, a PRK) never exceed one block.
Status HkdfSha1::hmac(ByteView key, ByteView a, ByteView b, ByteView c, ByteSpan out) noexcept {
  std::array<std::byte, kSha1Block> pad{};
  std::ranges::copy(key, pad.begin());
  for (std::byte& x : pad) x ^= std::byte{0x36};
  std::array<std::byte, kSha1Size> inner{};
  Status done = hash(pad, a, b, c, inner);
  for (std::byte& x : pad) x ^= std::byte{0x36 ^ 0x5c};
  if (done) done = hash(pad, inner, {}, {}, out);
  wipe(pad);
  return done;
}

Status HkdfSha1::derive(ByteView ikm, ByteView salt, ByteView info, ByteSpan out) noexcept {
  if (salt.size() > kSha1Block || out.size() > 255 * kSha1Size) return fail(Errc::too_large);
  std::array<std::byte, kSha1Size> prk{};
  std::array<std::byte, kSha1Size> round{};
  Status done = hmac(salt, ikm, {}, {}, prk);
  std::uint8_t counter = 0;
  for (std::size_t at = 0; done && at < out.size(); at += kSha1Size) {
    const std::array<std::byte, 1> number{static_cast<std::byte>(++counter)};
    const ByteView before = ByteView(round).first(at == 0 ? 0 : kSha1Size);
    std::array<std::byte, kSha1Size> next{};
    done = hmac(prk, before, info, number, next);
    round = next;
    std::copy_n(round.begin(), std::min(kSha1Size, out.size() - at),
                out.begin() + static_cast<std::ptrdiff_t>(at));
  }
  wipe(prk);
  wipe(round);
  return done;
}

}  // namespace sluice::crypto
