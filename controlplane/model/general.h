// model/general.h - the top-level keys of a Clash/Mihomo file, hosts, and our own `sluice:` map.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "proto/common/address.h"
#include "proto/common/clock.h"
#include "proto/common/log.h"
#include "proto/contract/manifest.h"

namespace sluice::model {

/// 0.0.0.0/0 and ::/0: who may use our listeners when nothing is written.
[[nodiscard]] std::vector<Prefix> everybody();

struct General {
  std::uint16_t port = 0;  ///< HTTP; 0 = off, as for the four below
  std::uint16_t socks_port = 0;
  std::uint16_t mixed_port = 0;
  std::uint16_t redir_port = 0;
  std::uint16_t tproxy_port = 0;
  bool allow_lan = false;
  std::string bind_address = "*";  ///< "*" or an address literal; counts only with allow_lan
  std::vector<contract::User> authentication;
  std::vector<Prefix> skip_auth_prefixes;
  std::vector<Prefix> lan_allowed_ips = everybody();
  std::vector<Prefix> lan_disallowed_ips;  ///< wins over lan_allowed_ips
  contract::Mode mode = contract::Mode::rule;
  LogLevel log_level = LogLevel::info;
  bool ipv6 = true;  ///< false: AAAA empty, v6 dials refused
  bool tcp_concurrent = false;
  std::string interface_name;                ///< empty = the routing table decides
  std::uint32_t routing_mark = 0;            ///< 0 = none besides the bypass mark
  bool keep_alive = true;                    ///< disable-keep-alive turned round
  std::uint32_t keep_alive_idle_s = 300;     ///< 0 = the kernel's
  std::uint32_t keep_alive_interval_s = 30;  ///< 0 = the kernel's
  bool store_selected = true;
  bool store_fake_ip = false;
  friend bool operator==(const General&, const General&) = default;
};

/// One line of `hosts:`. Exactly one of addresses, alias and lan is set.
struct Host {
  std::string pattern;  ///< normal name, or with wildcards: `*` one label, `+.x`, `.x`
  std::vector<IpAddress> addresses;
  std::string alias;  ///< another name, looked up in its place
  bool lan = false;   ///< the router's own addresses, loopback left out
  friend bool operator==(const Host&, const Host&) = default;
};

enum class WhenDown : std::uint8_t { open, closed };

/// How LAN traffic is caught. Off while `interfaces` is empty and `router_traffic` is false.
struct Capture {
  std::vector<std::string> interfaces;  ///< LAN devices, e.g. "br-lan"
  contract::CaptureMode mode = contract::CaptureMode::tproxy;
  bool dns_hijack = true;
  bool router_traffic = false;
  WhenDown when_down = WhenDown::open;
  std::uint32_t bypass_mark = 0x100;
  std::uint32_t tproxy_mark = 0x200;
  std::uint32_t mark_mask = 0xff00;
  std::uint32_t route_table = 100;
  std::uint32_t rule_priority = 1024;

  [[nodiscard]] bool enabled() const noexcept { return !interfaces.empty() || router_traffic; }
  friend bool operator==(const Capture&, const Capture&) = default;
};

/// How long silence is borne. Sources: docs/configuration.md.
struct Timeouts {
  Millis tcp_idle{7'440'000};
  Millis tcp_half_closed{240'000};
  Millis udp_idle{60'000};
  Millis handshake{10'000};
  Millis connect{5'000};
  friend bool operator==(const Timeouts&, const Timeouts&) = default;
};

/// Where stats.db lives while the control plane runs. `automatic`: in memory when the home
/// directory is on flash.
enum class StatsStorage : std::uint8_t { automatic, memory, disk };

/// What is kept of statistics.
struct Statistics {
  /// A week, to set today beside the same day of the week before.
  std::uint32_t keep_hours = 168;
  /// A year and a month, to set this month beside the same one of last year.
  std::uint32_t keep_days = 396;
  /// Hosts told apart in one hour or one day; a household has some hundreds that matter.
  std::uint32_t top_hosts = 200;
  /// Bytes. 168 hours and 396 days of 200 hosts of a few clients are about 15 MiB.
  std::uint64_t max_size = std::uint64_t{32} << 20;
  StatsStorage storage = StatsStorage::automatic;
  friend bool operator==(const Statistics&, const Statistics&) = default;
};

/// Bounds of the UDP NAT. Sources: docs/configuration.md.
struct Udp {
  std::uint32_t max_mappings = 8192;
  std::uint32_t max_mappings_per_client = 1024;
  Millis dns_timeout{10'000};
  friend bool operator==(const Udp&, const Udp&) = default;
};

/// The map `sluice:`, which other programs ignore.
struct SluiceMap {
  Capture capture;
  Timeouts timeouts;
  Statistics stats;
  std::string leases;  ///< dnsmasq's file; empty: the usual places
  Udp udp;
  std::uint64_t memory_limit = 0;       ///< bytes over all pools; 0 = 1/8 of RAM
  std::uint32_t fake_ip_size = 16'384;  ///< fake addresses kept at most, per family
  contract::RemovedFlows removed_flows = contract::RemovedFlows::keep;
  friend bool operator==(const SluiceMap&, const SluiceMap&) = default;
};

}  // namespace sluice::model
