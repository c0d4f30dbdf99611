// sniff/h2c.h - HTTP/2 without TLS, by prior knowledge (RFC 9113 section 3.3): whom the first
// request is for.
//
//   preface(24) | SETTINGS | … | HEADERS [ CONTINUATION … ]
//   frame: size(3) type(1) flags(1) stream(4) | payload
#pragma once

#include "dataplane/sniff/answer.h"
#include "proto/common/cursor.h"

namespace sluice::sniff {

[[nodiscard]] Answer sniff_h2c(ByteView stream) noexcept;

}  // namespace sluice::sniff
