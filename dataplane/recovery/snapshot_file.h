// recovery/snapshot_file.h - the last good Apply, kept so that a restart needs no control plane.
//
//   "SLSNAP02" | manifest size(8) | blob count(4) | digest(32)... | manifest
//   | SHA-256 of everything so far(32)                            big endian
//
// The blobs stand beside it (blob_file.h). They need no check here: their names are their digests.
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

/// `dir` has the blobs. Errors: truncated, malformed (not such a file, a check fails), and those of
/// open_blob().
[[nodiscard]] Result<Snapshot> decode_snapshot(ByteView file, const std::string& dir);

/// Replaces `dir`/snapshot, whole or not at all, and removes the blobs that it does not need.
/// `manifest` is serialized (wire/manifest_bytes.h), as it came. Returns its digest. Errors:
/// no_room, system.
[[nodiscard]] Result<contract::Digest> save_snapshot(const std::string& dir,
                                                     std::string_view manifest,
                                                     const std::vector<contract::BlobPtr>& blobs);

}  // namespace sluice::recovery
