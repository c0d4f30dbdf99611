// contract/blob.h - one big immutable thing of a manifest (a compiled rule set), by content.
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
  Digest digest{};               ///< SHA-256 of `bytes`; whoever makes a Blob has checked it
  std::vector<std::byte> bytes;  ///< aligned for any type (operator new)
};
using BlobPtr = std::shared_ptr<const Blob>;

/// Names the bytes by their digest.
[[nodiscard]] inline BlobPtr make_blob(std::vector<std::byte> bytes) {
  const Digest digest = digest_of(bytes);
  return std::make_shared<const Blob>(Blob{digest, std::move(bytes)});
}

/// The blobs that `manifest` needs, each once. An all-zero digest means "none".
[[nodiscard]] inline std::vector<Digest> blobs_of(const Manifest& manifest) {
  if (manifest.ruleset == Digest{}) return {};
  return {manifest.ruleset};
}

}  // namespace sluice::contract
