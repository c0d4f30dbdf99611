// sniff/quic_frames.h - the frames of an opened Initial packet (RFC 9000 section 12.4, table 3).
#pragma once

#include "dataplane/sniff/hello_bytes.h"

namespace sluice::sniff {

/// Adds what its CRYPTO frames carry. False: garbled, or a frame that no Initial may have.
bool take_crypto_frames(ByteView frames, HelloBytes& into) noexcept;

}  // namespace sluice::sniff
