// sniff/tls.h - a TLS ClientHello at the start of a stream, in one record or several.
#pragma once

#include "dataplane/sniff/answer.h"
#include "proto/common/cursor.h"

namespace sluice::sniff {

[[nodiscard]] Answer sniff_tls(ByteView stream) noexcept;

}  // namespace sluice::sniff
