// contract/blob.h - one big immutable thing of a manifest (a compiled rule set), by content.
//
//   Blob { digest, bytes ──> memory of `holder` }    a vector, or a file mapped into memory
//
// Owner: shared; bytes never change once a Blob exists, so any thread may read them. Whoever looks
// into the bytes (a snapshot) holds the pointer as long.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "proto/common/cursor.h"
#include "proto/contract/digest.h"
#include "proto/contract/manifest.h"

namespace sluice::contract {

struct Blob {
  Digest digest{};  ///< SHA-256 of `bytes`; whoever makes a Blob answers for it
  ByteView bytes;
  std::shared_ptr<const void> holder;  ///< keeps `bytes` where they are
};
using BlobPtr = std::shared_ptr<const Blob>;

/// For bytes that are known by this digest. They are aligned for any type (operator new).
[[nodiscard]] inline BlobPtr make_blob(const Digest& digest, std::vector<std::byte> bytes) {
  const auto holder = std::make_shared<const std::vector<std::byte>>(std::move(bytes));
  return std::make_shared<const Blob>(Blob{digest, *holder, holder});
}
/// Names the bytes by their digest.
[[nodiscard]] inline BlobPtr make_blob(std::vector<std::byte> bytes) {
  const Digest digest = digest_of(bytes);
  return make_blob(digest, std::move(bytes));
}

/// The blobs that `manifest` needs, each once. An all-zero digest means "none".
[[nodiscard]] inline std::vector<Digest> blobs_of(const Manifest& manifest) {
  if (manifest.ruleset == Digest{}) return {};
  return {manifest.ruleset};
}

}  // namespace sluice::contract
