// contract/digest.h - SHA-256 of blobs: their names on the contract, in files and in hello lists.
#pragma once

#include <memory>
#include <string>

#include "proto/common/cursor.h"
#include "proto/contract/version.h"

namespace sluice::contract {

/// SHA-256 over pieces, in order. Move-only; a finished one must not be used again.
/// Allocates once (OpenSSL's state). When OpenSSL refuses (out of memory) the digest is all zero,
/// which equals no blob's name.
class DigestStream {
 public:
  DigestStream();
  ~DigestStream();
  DigestStream(DigestStream&&) noexcept;
  DigestStream& operator=(DigestStream&&) noexcept;

  void update(ByteView piece) noexcept;
  [[nodiscard]] Digest finish() noexcept;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

[[nodiscard]] Digest digest_of(ByteView bytes);
/// 64 lower-case hexadecimal digits.
[[nodiscard]] std::string to_text(const Digest& digest);

}  // namespace sluice::contract
