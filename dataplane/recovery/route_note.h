// recovery/route_note.h - which policy rules and routes of ours may be in the kernel.
//
//   "SLROUT01" | { table(4) priority(4) mark mask(4) mark(4) }... | SHA-256 of everything so
//   far(32)
//
// The kernel keeps them when we are killed, and the next configuration may name other numbers or
// capture nothing. Noted before they are laid, so that the next run always knows what to remove.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "proto/common/cursor.h"
#include "proto/common/result.h"

namespace sluice::recovery {

struct RouteNote {
  std::uint32_t table = 0;
  std::uint32_t priority = 0;
  std::uint32_t mask = 0;  ///< of the packet mark
  std::uint32_t mark = 0;
  friend bool operator==(const RouteNote&, const RouteNote&) = default;
};

/// Replaces `dir`/routes, whole or not at all; no notes remove it. Errors: no_room, system.
[[nodiscard]] Status save_routes(const std::string& dir, const std::vector<RouteNote>& notes);
/// Errors: malformed (not such a file, the check fails).
[[nodiscard]] Result<std::vector<RouteNote>> decode_routes(ByteView file);
/// What an earlier run noted. A damaged file is moved aside and says nothing.
[[nodiscard]] std::vector<RouteNote> load_routes(const std::string& dir);

}  // namespace sluice::recovery
