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
#include "proto/contract/choice.h"
#include "proto/contract/manifest.h"

namespace sluice::recovery {

struct Snapshot {
  contract::Manifest manifest;
  std::vector<contract::BlobPtr> blobs;  ///< all of blobs_of(manifest), in its order
};

/// Errors: truncated, malformed (not such a file, a check fails, a blob is missing).
[[nodiscard]] Result<Snapshot> decode_snapshot(ByteView file);

/// Replaces `dir`/snapshot, whole or not at all. `manifest` is serialized (wire/manifest_bytes.h),
/// as it came. Errors: no_room, system.
[[nodiscard]] Status save_snapshot(const std::string& dir, std::string_view manifest,
                                   const std::vector<contract::BlobPtr>& blobs);

/// Replaces `dir`/choices: what Select chose since, so that a restart decides the same.
[[nodiscard]] Status save_choices(const std::string& dir,
                                  const std::vector<contract::GroupChoice>& choices);
/// The choices of a file's bytes. Errors: malformed.
[[nodiscard]] Result<std::vector<contract::GroupChoice>> decode_choices(ByteView file);

}  // namespace sluice::recovery
