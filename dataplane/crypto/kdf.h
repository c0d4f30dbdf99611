// crypto/kdf.h - keys from passwords and salts.
//
// Thread: plain functions.
#pragma once

#include <array>
#include <string_view>

#include "proto/common/cursor.h"
#include "proto/common/result.h"

namespace sluice::crypto {

/// EVP_BytesToKey with MD5, no salt, one round: d0 = MD5(pw), d(i+1) = MD5(d(i) | pw), joined and
/// cut to key.size() bytes. Weak by today's measure, and what Shadowsocks 2017 defines. Errors:
/// system (MD5 is switched off on this machine).
Status password_key(std::string_view password, ByteSpan key) noexcept;

/// HKDF of RFC 5869 over HMAC-SHA1: fills `out` (at most 255 × 20 bytes) from `ikm`, `salt` (at
/// most 64 bytes) and `info`. Allocates nothing: it runs per datagram. Errors: too_large.
Status hkdf_sha1(ByteView ikm, ByteView salt, ByteView info, ByteSpan out) noexcept;

inline constexpr std::size_t kSha256Size = 32;
using Sha256Digest = std::array<std::byte, kSha256Size>;

/// The two steps of HKDF over HMAC-SHA256, apart because TLS 1.3 and QUIC expand one secret with
/// several labels. `salt` and `prk` have at most 64 bytes, `out` at most 255 × 32. Neither
/// allocates. Errors: too_large.
Status hkdf_sha256_extract(ByteView ikm, ByteView salt, Sha256Digest& prk) noexcept;
Status hkdf_sha256_expand(ByteView prk, ByteView info, ByteSpan out) noexcept;

}  // namespace sluice::crypto
