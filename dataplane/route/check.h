// route/check.h - the parts of a manifest, each checked as hostile input.
//
// Every function returns the first thing that is wrong, with its place, or nothing. They are called
// in this order by build_snapshot(); later ones rely on what earlier ones established.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dataplane/route/snapshot.h"
#include "proto/contract/manifest.h"

namespace sluice::route {

using Check = std::optional<Refusal>;

[[nodiscard]] inline Check refuse(std::string place, std::string reason) {
  return Refusal{std::move(place), std::move(reason)};
}
/// "outbounds[3]"
[[nodiscard]] std::string place(std::string_view list, std::size_t index);

/// Shown text: valid UTF-8, without NUL, at most `max` bytes.
[[nodiscard]] bool is_shown_text(std::string_view text, std::size_t max) noexcept;
/// A network device: 1..15 bytes, printable, no `/`; "." and ".." are no devices.
[[nodiscard]] bool is_device_name(std::string_view text) noexcept;
/// Family, length and cleared host bits.
[[nodiscard]] bool is_prefix(const Prefix& prefix) noexcept;

/// Every outbound by itself, unique names, and that direct, reject and global exist.
[[nodiscard]] Check check_outbounds(const contract::Manifest& manifest);
/// Members, choices, cycles and depth. Needs check_outbounds().
[[nodiscard]] Check check_groups(const std::vector<contract::Outbound>& outbounds);
/// The lines as shown; their block is checked by ruleset::View. Needs check_outbounds().
[[nodiscard]] Check check_rules(const contract::Manifest& manifest);
/// Every listener by itself, unique names, and no two on one port. Needs check_outbounds().
[[nodiscard]] Check check_listeners(const contract::Manifest& manifest);
[[nodiscard]] Check check_capture(const contract::Capture& capture);
/// Mode, device, fake ranges, spans and memory.
[[nodiscard]] Check check_general(const contract::Manifest& manifest);

}  // namespace sluice::route
