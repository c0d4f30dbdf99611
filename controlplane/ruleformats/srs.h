// ruleformats/srs.h - sing-box's binary rule sets, versions 1 to 4, numbers big-endian.
//
//   "SRS" | version(1) | zlib( count(varint) rule* )
//   rule, plain     0 | item* | 0xff | invert(1)
//   rule, logical   1 | mode(1: 0 and, 1 or) | count(varint) | rule* | invert(1)
//   item            type(1) | by type: a list of texts, of numbers, a trie, ranges of addresses
//
//   names      version(1) | words(varint) leaves | words(varint) bitmap | size(varint) labels
//              a key reads x (exact), "\nx" (suffix), "\r.x" (below; with x: suffix, version 1)
//   patterns   a trie whose keys are [\n label | \r anywhere] body [\b not to the end]
//   ranges     1 | count(8) | (size(varint) first, size(varint) last)*
#pragma once

#include "controlplane/ruleformats/feed.h"
#include "proto/common/cursor.h"

namespace sluice::ruleformats {

/// Errors: as unpack_zlib, truncated, malformed, unsupported (version), too_large.
[[nodiscard]] Outcome<Tally> read_srs(ByteView file, const Bounds& bounds, Entries& to);

}  // namespace sluice::ruleformats
