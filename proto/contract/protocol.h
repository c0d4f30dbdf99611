// contract/protocol.h - what a client speaks, as its first bytes tell: the values of PROTOCOL
// lines.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "proto/common/text.h"

namespace sluice::contract {

/// Blocks of rules hold these numbers as bits: only added to.
enum class Protocol : std::uint8_t { none, tls, http, quic, dtls, stun, bittorrent };

/// By value; none is what no rule can name.
inline constexpr std::array<std::string_view, 7> kProtocolNames{"",     "tls",  "http",      "quic",
                                                                "dtls", "stun", "bittorrent"};

/// As rules spell it; empty for none.
[[nodiscard]] constexpr std::string_view protocol_name(Protocol protocol) noexcept {
  return kProtocolNames[static_cast<std::size_t>(protocol)];
}

/// Without regard to case; nothing: no rule can name it.
[[nodiscard]] inline std::optional<Protocol> find_protocol(std::string_view name) noexcept {
  const auto* const found = std::find_if(kProtocolNames.begin() + 1, kProtocolNames.end(),
                                         [&](std::string_view n) { return iequals(n, name); });
  if (found == kProtocolNames.end()) return std::nullopt;
  return static_cast<Protocol>(found - kProtocolNames.begin());
}

}  // namespace sluice::contract
