// ruleformats/text_list.h - lists with one entry a line, as rule providers name them `text`.
//
//   # comment        // comment
//   +.example.test
#pragma once

#include "controlplane/ruleformats/feed.h"
#include "proto/common/cursor.h"

namespace sluice::ruleformats {

/// Blank lines and comments are skipped; a line that is no entry is a fault. A file without entries
/// is good. Errors: as open_text, too_large (entries).
[[nodiscard]] Outcome<Tally> read_text_list(ByteView file, Behavior behavior, const Bounds& bounds,
                                            Entries& to);

}  // namespace sluice::ruleformats
