// ruleformats/sing_json.h - the JSON source of sing-box's rule sets.
//
//   {"version": 3, "rules": [{"domain_suffix": ["a.test"], "port": 443, "invert": false},
//                            {"type": "logical", "mode": "and", "rules": [...]}]}
//
// A value may stand alone where a list of one is meant. An item that is not known is a fault of its
// rule, as one that has no counterpart here.
#pragma once

#include "controlplane/ruleformats/feed.h"
#include "proto/common/cursor.h"

namespace sluice::ruleformats {

/// Errors: as open_text, malformed (no JSON, or not of this form), unsupported (version),
/// too_large.
[[nodiscard]] Outcome<Tally> read_sing_json(ByteView file, const Bounds& bounds, Entries& to);

}  // namespace sluice::ruleformats
