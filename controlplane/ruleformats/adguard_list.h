// ruleformats/adguard_list.h - filter lists in AdGuard's DNS syntax, with all that is mixed into
// them.
//
//   ! comment            ||ads.example.test^            @@||good.example.test^
//   # comment            /^banner[0-9]+\./              ||ads.example.test^$important
//   0.0.0.0 ads.test     ads.example.test               (hosts line; the name itself)
//
// `@@` and `$important` become the weight of an entry (entries.h). Rules about pages (##, paths,
// modifiers other than important) are faults: they do not concern names.
#pragma once

#include "controlplane/ruleformats/feed.h"
#include "proto/common/cursor.h"

namespace sluice::ruleformats {

/// Errors: as open_text, too_large (entries).
[[nodiscard]] Outcome<Tally> read_adguard_list(ByteView file, const Bounds& bounds, Entries& to);

}  // namespace sluice::ruleformats
