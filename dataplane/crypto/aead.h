// crypto/aead.h - one keyed authenticated cipher of one direction, reused for every record.
//
//   seal:  plain(n) -> sealed(n) | tag(16)       open: the reverse, or bad_tag
//
// The context is made once per key; a record costs no allocation. Records that lie in several
// pieces go through begin(), one update() per piece, then end_seal() or end_open(). Bytes that are
// authenticated and travel in the clear go through associate() in between. Sealing in place
// (out == in) is allowed everywhere.
//
// Thread: its owner's; not shared.
#pragma once

#include <cstdint>
#include <memory>

#include "proto/common/cursor.h"
#include "proto/common/result.h"

namespace sluice::crypto {

enum class AeadKind : std::uint8_t { aes_128_gcm, aes_256_gcm, chacha20_poly1305 };

inline constexpr std::size_t kNonceSize = 12;
inline constexpr std::size_t kTagSize = 16;
inline constexpr std::size_t kMaxKeySize = 32;

[[nodiscard]] constexpr std::size_t key_size(AeadKind kind) noexcept {
  return kind == AeadKind::aes_128_gcm ? 16 : 32;
}

/// Move-only. The key is wiped on destruction.
class Aead {
 public:
  enum class Direction : std::uint8_t { seal, open };

  /// An unusable one: valid() is false.
  Aead() noexcept = default;
  /// `key` has key_size(kind) bytes. Errors: system (the library refused or has no memory).
  static Result<Aead> make(AeadKind kind, Direction direction, ByteView key) noexcept;
  [[nodiscard]] bool valid() const noexcept { return context_ != nullptr; }
  /// Another key for the same cipher and direction; no allocation. Errors: system.
  Status rekey(ByteView key) noexcept;

  /// Seals `bytes` in place and writes the tag (kTagSize). Errors: system.
  Status seal(ByteView nonce, ByteSpan bytes, ByteSpan tag) noexcept;
  /// Opens `bytes` in place. After bad_tag they hold garbage. Errors: bad_tag, system.
  Status open(ByteView nonce, ByteSpan bytes, ByteView tag) noexcept;

  /// Starts a record. Errors: system.
  Status begin(ByteView nonce) noexcept;
  /// A piece of the associated data, before the first update(). Errors: system.
  Status associate(ByteView clear) noexcept;
  /// One piece of it, into as many bytes at `out`. Errors: system.
  Status update(ByteView in, std::byte* out) noexcept;
  Status end_seal(ByteSpan tag) noexcept;
  /// Errors: bad_tag: nothing that update() gave out may be used.
  Status end_open(ByteView tag) noexcept;

 private:
  struct Context;
  struct Free {
    void operator()(Context* context) const noexcept;
  };
  std::unique_ptr<Context, Free> context_;
};

}  // namespace sluice::crypto
