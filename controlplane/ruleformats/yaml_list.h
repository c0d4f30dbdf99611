// ruleformats/yaml_list.h - the list under `payload:` (or `rules:`) of a YAML file.
//
//   # comment
//   payload:
//     - '+.example.test'     # plain, 'single' or "double" quoted, on one line
//     - IP-CIDR,10.0.0.0/8
//
// The YAML that lists are written in, read line by line: a file of 300,000 entries needs no more
// memory than its longest entry, and one broken entry costs only itself. `payload: [a, 'b']` over
// one or more lines is read as well. Other top-level keys are passed over. An entry that is itself
// a list or a map, has a tag, an anchor or an alias, or goes on over several lines, is a fault.
#pragma once

#include <string_view>

#include "controlplane/ruleformats/feed.h"
#include "proto/common/cursor.h"

namespace sluice::ruleformats {

/// Of a file that has content and no such key.
inline constexpr std::string_view kNoPayload = "has no list under `payload:`";

/// A file without any content has no entries; one with content needs the key.
/// Errors: as open_text, malformed (no such key), too_large (entries).
[[nodiscard]] Outcome<Tally> read_yaml_list(ByteView file, Behavior behavior, const Bounds& bounds,
                                            Entries& to);

}  // namespace sluice::ruleformats
