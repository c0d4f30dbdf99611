// crypto/block.h - AES-128 of single blocks: the mask of QUIC's header protection (RFC
// 9001, 5.4.3).
//
// Not a way to encrypt data: equal blocks give equal blocks.
//
// Thread: its owner's; not shared.
#pragma once

#include <array>
#include <memory>

#include "proto/common/cursor.h"
#include "proto/common/result.h"

namespace sluice::crypto {

inline constexpr std::size_t kBlockSize = 16;

/// Move-only. The key is wiped on destruction.
class BlockCipher {
 public:
  using Block = std::array<std::byte, kBlockSize>;

  /// An unusable one: valid() is false.
  BlockCipher() noexcept = default;
  /// Without a key as yet. Errors: system (the library refused or has no memory).
  static Result<BlockCipher> make() noexcept;
  [[nodiscard]] bool valid() const noexcept { return context_ != nullptr; }
  /// `key` has kBlockSize bytes; no allocation. Errors: system.
  Status rekey(ByteView key) noexcept;
  /// `in` has kBlockSize bytes. Needs a key. Errors: system.
  Status encrypt(ByteView in, Block& out) noexcept;

 private:
  struct Context;
  struct Free {
    void operator()(Context* context) const noexcept;
  };
  std::unique_ptr<Context, Free> context_;
};

}  // namespace sluice::crypto
