// crypto/secret.h - random bytes, and the two things one does with secrets: compare and wipe.
#pragma once

#include <string_view>

#include "proto/common/cursor.h"
#include "proto/common/result.h"

namespace sluice::crypto {

/// Unpredictable bytes for salts, nonces and keys. Errors: system.
Status random_bytes(ByteSpan out) noexcept;

/// Equality in a time that depends on the sizes only.
[[nodiscard]] bool equal_secret(ByteView a, ByteView b) noexcept;
[[nodiscard]] inline bool equal_secret(std::string_view a, std::string_view b) noexcept {
  return equal_secret(as_byte_view(a), as_byte_view(b));
}

/// Overwrites `bytes`; the compiler cannot leave it out.
void wipe(ByteSpan bytes) noexcept;

}  // namespace sluice::crypto
