// sniff/stream.h - what a TCP flow speaks, from its client's first bytes.
//
// The caller keeps the bytes, asks with all of them so far, and asks again when there are
// `Answer::wants`. A longer start never changes an answer that was final.
#pragma once

#include "dataplane/sniff/answer.h"
#include "proto/common/cursor.h"

namespace sluice::sniff {

/// TLS, HTTP/1, HTTP/2 in the clear, BitTorrent. Looks at no more than kMaxStream bytes.
[[nodiscard]] Answer sniff_stream(ByteView start) noexcept;

}  // namespace sluice::sniff
