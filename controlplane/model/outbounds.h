// model/outbounds.h - listeners, proxies and groups, typed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "controlplane/model/diagnostic.h"
#include "proto/common/address.h"
#include "proto/contract/manifest.h"

namespace sluice::model {

/// One open port: from a general key ("DEFAULT-MIXED") or one port of a `listeners:` entry. Who may
/// log in is already decided here: its own `users`, else `authentication`.
struct Listener {
  std::string name;  ///< unique; "lan:7891" when the entry "lan" has several ports
  contract::ListenerKind kind = contract::ListenerKind::mixed;
  IpAddress address;       ///< v6 unspecified = both families
  std::uint16_t port = 0;  ///< 1..65535
  bool udp = true;
  std::vector<contract::User> users;  ///< empty = no authentication
  std::string proxy;                  ///< skips the rules when set: a proxy, group or built-in name
  std::string rule;  ///< a list of `sub-rules` that decides in place of `rules`; empty: those
  Position at;       ///< of the entry or the key
  Place rule_place;
  Place port_place;  ///< where the port is written
  friend bool operator==(const Listener& a, const Listener& b) noexcept;
};

/// What a proxy of type rematch does with a flow: the rules are gone through again from the start.
struct Rematch {
  std::optional<std::string>
      name;              ///< what REMATCH-NAME meets then; empty: nothing. Absent: as before
  std::string sub_rule;  ///< the list to go through in place of `rules`; empty: those
  Place sub_rule_place;
  friend bool operator==(const Rematch& a, const Rematch& b) noexcept {
    return a.name == b.name && a.sub_rule == b.sub_rule;
  }
};

/// One entry of `proxies:`. `kind` is direct, reject, rematch, socks5, http, shadowsocks or
/// unbuilt.
struct Proxy {
  std::string name;
  contract::OutboundKind kind = contract::OutboundKind::direct;
  std::string type_name;    ///< as dashboards spell it: "Shadowsocks", "Vmess"
  std::string why_unbuilt;  ///< unbuilt only: "type vmess", "option tls"
  std::string server;       ///< name in normal form or address literal without brackets
  std::uint16_t port = 0;
  bool udp = true;
  contract::IpVersion ip_version = contract::IpVersion::dual;
  std::string interface_name;
  std::uint32_t routing_mark = 0;
  std::string username;
  std::string password;  ///< secret
  contract::Cipher cipher = contract::Cipher::none;
  std::optional<Rematch> rematch;  ///< type rematch only
  Position at;

  [[nodiscard]] bool built() const noexcept { return kind != contract::OutboundKind::unbuilt; }
  friend bool operator==(const Proxy& a, const Proxy& b) noexcept;
};

/// One entry of `proxy-groups:`. Every group selects: a type that is not built yet acts as
/// `select`.
struct Group {
  std::string name;
  std::string type_name;             ///< as dashboards spell it: "Selector", "URLTest"
  bool acts_as_select = false;       ///< true: the written type is not built yet
  std::vector<std::string> members;  ///< proxies, groups, built-ins; all exist; no cycles
  /// The member used until the user chooses: `default-selected`, else the first; for a type that is
  /// not built the first built one. Empty: flows are refused (no member, or none is built).
  std::string initial;
  bool udp = true;  ///< disable-udp turned round
  bool hidden = false;
  std::string icon;
  Position at;
  friend bool operator==(const Group& a, const Group& b) noexcept;
};

}  // namespace sluice::model
