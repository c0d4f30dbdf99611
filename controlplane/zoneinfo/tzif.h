// zoneinfo/tzif.h - the compiled files of the tz database, RFC 8536 and 9636 (versions 1 to 4).
//
//   version 1    header | body, times of 4 bytes
//   2 and later  header | body, times of 4 bytes, skipped | header | body, times of 8 | footer
//
//   header  "TZif" version(1) 0(15) | counts(4 each): isut isstd leap time type char
//   body    time * at | time * type index(1) | type * (offset(4) dst(1) name index(1)) | names
//           | leap * (at, correction(4)) | isstd(1 each) | isut(1 each)
//   footer  LF, a POSIX TZ string for everything after the last change, or nothing, LF
//
// Big-endian. Before the first change type 0 holds. Fat files spell changes out until 2037, slim
// ones only those that their footer does not tell.
#pragma once

#include "controlplane/zoneinfo/span.h"
#include "proto/common/cursor.h"
#include "proto/common/result.h"
#include "proto/ruleset/zone.h"

namespace sluice::zoneinfo {

/// The table of the zone within `span`. Errors: truncated, malformed (also: an offset of a day and
/// more), too_large (kMaxTransitions within the span), unsupported: the file counts leap seconds
/// (`right/`). Clocks do not, and such files know no future beyond the next possible leap second.
[[nodiscard]] Result<ruleset::Zone> parse_tzif(ByteView file, Span span);

}  // namespace sluice::zoneinfo
