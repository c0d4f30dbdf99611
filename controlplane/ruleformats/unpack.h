// ruleformats/unpack.h - the plain content of a compressed file, in memory, up to a limit.
#pragma once

#include <cstddef>
#include <vector>

#include "controlplane/ruleformats/refusal.h"
#include "proto/common/cursor.h"

namespace sluice::ruleformats {

/// Needs at most twice `plain_bytes` at a time, whatever the file claims (a bomb stops at the
/// limit). Errors: truncated, malformed (not such a stream, a wrong checksum, bytes after its end),
/// too_large (plain_bytes; kMaxWindowLog). Offsets count in the compressed bytes.
[[nodiscard]] Outcome<std::vector<std::byte>> unpack_zlib(ByteView packed, std::size_t plain_bytes);
/// One or more zstd frames.
[[nodiscard]] Outcome<std::vector<std::byte>> unpack_zstd(ByteView packed, std::size_t plain_bytes);

/// `plain` as one zstd frame. Errors: no_room.
[[nodiscard]] Result<std::vector<std::byte>> pack_zstd(ByteView plain);

}  // namespace sluice::ruleformats
