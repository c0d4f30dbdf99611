// sniff/hpack.h - the authority of a connection's first field block (RFC 7541, RFC 9113 8.3.1).
//
// No dynamic table is kept: before the first block it is empty, so an index into it names a field
// of this very block, which was looked at when it came.
#pragma once

#include "dataplane/sniff/answer.h"
#include "dataplane/sniff/pieces.h"

namespace sluice::sniff {

/// found: `host` is that of :authority, else of the host field, else empty; also empty for a
/// CONNECT that asks for a tunnel (without :protocol), and for a block of more frames than are
/// looked at. nothing: garbled.
[[nodiscard]] Verdict read_authority(PieceReader& block, HostName& host) noexcept;

}  // namespace sluice::sniff
