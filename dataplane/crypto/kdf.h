// crypto/kdf.h - keys from passwords and salts.
//
// Thread: plain functions; an HkdfSha1 belongs to its owner's thread.
#pragma once

#include <memory>
#include <string_view>

#include "proto/common/cursor.h"
#include "proto/common/result.h"

namespace sluice::crypto {

/// EVP_BytesToKey with MD5, no salt, one round: d0 = MD5(pw), d(i+1) = MD5(d(i) | pw), joined and
/// cut to key.size() bytes. Weak by today's measure, and what Shadowsocks 2017 defines. Errors:
/// system (MD5 is switched off on this machine).
Status password_key(std::string_view password, ByteSpan key) noexcept;

/// HKDF of RFC 5869 over HMAC-SHA1. Keeps one digest context, so deriving a key per datagram
/// allocates nothing.
class HkdfSha1 {
 public:
  /// Errors: system.
  static Result<HkdfSha1> make() noexcept;
  /// Fills `out` (at most 255 × 20 bytes). Errors: system, too_large.
  Status derive(ByteView ikm, ByteView salt, ByteView info, ByteSpan out) noexcept;

 private:
  struct Context;
  struct Free {
    void operator()(Context* context) const noexcept;
  };
  HkdfSha1() noexcept = default;
  Status hash(ByteView a, ByteView b, ByteView c, ByteView d, ByteSpan out) noexcept;
  Status hmac(ByteView key, ByteView a, ByteView b, ByteView c, ByteSpan out) noexcept;
  std::unique_ptr<Context, Free> context_;
};

}  // namespace sluice::crypto
