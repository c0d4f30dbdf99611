// ruleformats/hosts_list.h - hosts files that block names.
//
//   0.0.0.0 ads.example.test tracker.example.test   # comment
//
// The address says that a name leads nowhere: 0.0.0.0, ::, 127.0.0.0/8 or ::1. A line with any
// other address gives names a place, which no set can do: a fault. The machine's own names
// (localhost, ip6-allnodes ...) are passed over.
#pragma once

#include <optional>
#include <string_view>

#include "controlplane/ruleformats/feed.h"
#include "proto/common/cursor.h"

namespace sluice::ruleformats {

/// Errors: as open_text, too_large (entries).
[[nodiscard]] Outcome<Tally> read_hosts_list(ByteView file, const Bounds& bounds, Entries& to);

/// One line without its comment; false when it does not start with an address.
bool feed_hosts_line(std::string_view line, std::uint32_t number, Feed& feed);

}  // namespace sluice::ruleformats
