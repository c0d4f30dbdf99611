// keys/types.h - the types of proxies, listeners, groups and ways in: which exist, which are built.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "controlplane/model/keys/key.h"
#include "proto/contract/flow_info.h"
#include "proto/contract/manifest.h"

namespace sluice::model::keys {

struct ProxyType {
  std::string_view name;      ///< as written: "ss"
  std::string_view api_name;  ///< as dashboards spell it: "Shadowsocks"
  contract::OutboundKind kind = contract::OutboundKind::unbuilt;
  KeyMap keys;
};

struct ListenerType {
  std::string_view name;
  std::optional<contract::ListenerKind> kind;  ///< absent: known, not built yet
  KeyMap keys;
};

struct GroupType {
  std::string_view name;
  std::string_view api_name;
  State state = State::later;
};

struct InType {
  std::string_view name;  ///< "SOCKS5"
  std::optional<contract::InboundType> type;
};

// Sorted by nothing; a few dozen rows each, found by a walk.
[[nodiscard]] std::span<const ProxyType> proxy_types() noexcept;
[[nodiscard]] std::span<const ListenerType> listener_types() noexcept;
[[nodiscard]] std::span<const GroupType> group_types() noexcept;
[[nodiscard]] std::span<const InType> in_types() noexcept;

}  // namespace sluice::model::keys
