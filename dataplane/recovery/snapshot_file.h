// recovery/snapshot_file.h - the last good Apply, kept so that a restart needs no control plane.
//
//   "SLSNAP01" | manifest size(8) | blob count(4) | { digest(32) | size(8) }... | manifest
//   | SHA-256 of everything so far(32) | blob bytes...          big endian
//
// Blobs need no check of their own: their names are their digests.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "proto/common/cursor.h"
#include "proto/common/result.h"
#include "proto/contract/blob.h"
#include "proto/contract/manifest.h"

namespace sluice::recovery {

struct Snapshot {
  contract::Manifest manifest;
  std::vector<contract::BlobPtr> blobs;  ///< all of blobs_of(manifest), in its order
  contract::Digest digest{};             ///< of manifest and blobs: what choices belong to
};

/// Errors: truncated, malformed (not such a file, a check fails, a blob is missing).
[[nodiscard]] Result<Snapshot> decode_snapshot(ByteView file);

/// Replaces `dir`/snapshot, whole or not at all. `manifest` is serialized (wire/manifest_bytes.h),
/// as it came. Returns its digest. Errors: no_room, system.
[[nodiscard]] Result<contract::Digest> save_snapshot(const std::string& dir,
                                                     std::string_view manifest,
                                                     const std::vector<contract::BlobPtr>& blobs);

}  // namespace sluice::recovery
