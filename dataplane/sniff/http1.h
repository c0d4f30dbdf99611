// sniff/http1.h - an HTTP/1 request at the start of a stream (RFC 9112): whom it is for.
//
//   GET /path HTTP/1.1          the Host field
//   GET http://host/ HTTP/1.1   the target's host, which goes before Host
//   CONNECT host:443 HTTP/1.1   nobody: the name is the tunnel's end, not this connection's
#pragma once

#include "dataplane/sniff/answer.h"
#include "proto/common/cursor.h"

namespace sluice::sniff {

[[nodiscard]] Answer sniff_http1(ByteView stream) noexcept;

}  // namespace sluice::sniff
