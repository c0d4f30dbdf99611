// wire/manifest_bytes.h - a manifest as bytes, for rooms that must not see protobuf (snapshot
// file).
#pragma once

#include <string>

#include "proto/common/cursor.h"
#include "proto/contract/manifest.h"
#include "proto/wire/refusal.h"

namespace sluice::wire {

/// The serialized form that Apply sends and the snapshot file keeps.
[[nodiscard]] std::string manifest_to_bytes(const contract::Manifest& manifest);
/// Refuses what is no such message, too large, or wrong in any field.
[[nodiscard]] Decoded<contract::Manifest> manifest_from_bytes(ByteView bytes);

}  // namespace sluice::wire
