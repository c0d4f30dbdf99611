// contract/manifest.h - everything a data plane needs to relay: one value, applied whole.
//
// Made by controlplane/compile, checked in full by dataplane/route, never changed afterwards.
// Indices: `outbounds[i]` is named by i everywhere (rules, groups, listeners). Big things (compiled
// rule sets) are not inside: they are blobs, named by digest, and sent only when Apply asks.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "proto/common/address.h"
#include "proto/common/clock.h"
#include "proto/contract/version.h"

namespace sluice::contract {

enum class Mode : std::uint8_t { rule, global, direct };

enum class OutboundKind : std::uint8_t {
  direct,       ///< dials itself
  reject,       ///< refuses at once (TCP RST, ICMP where possible)
  reject_drop,  ///< swallows for 60 s
  pass,         ///< the rule counts as not matched; one of a sub-rule list as well as the SUB-RULE
  pass_rule,    ///< the next line of the same sub-rule list is tried; in the list proper as pass
  rematch,      ///< the rules are walked again, see Outbound::rematch_name and rematch_entry
  socks5,
  http,
  shadowsocks,
  select,   ///< a group; the choice comes by Select
  unbuilt,  ///< known, but its protocol is not built: every flow is refused, never sent DIRECT
};

enum class IpVersion : std::uint8_t { dual, v4_only, v6_only, prefer_v4, prefer_v6 };

enum class Cipher : std::uint8_t { none, aes_128_gcm, aes_256_gcm, chacha20_ietf_poly1305 };

struct Outbound {
  std::string name;       ///< unique, UTF-8, shown to users
  std::string type_name;  ///< as dashboards spell it: "Direct", "Shadowsocks", "Selector", "Vmess"
  OutboundKind kind = OutboundKind::direct;
  std::string server;      ///< name in normal form or address literal; empty for built-ins
  std::uint16_t port = 0;  ///< of the server
  bool udp = true;         ///< false: rules skip this target for UDP flows
  IpVersion ip_version = IpVersion::dual;
  std::string interface_name;      ///< SO_BINDTODEVICE; empty = the manifest's
  std::uint32_t routing_mark = 0;  ///< SO_MARK besides the bypass mark; 0 = the manifest's
  std::string username;
  std::string password;  ///< secret: never logged, never shown
  Cipher cipher = Cipher::none;
  std::vector<std::uint32_t> members;  ///< groups: indices, no cycles
  std::uint32_t initial_choice = 0;    ///< groups: position in `members`
  /// rematch: what REMATCH-NAME lines see from then on; absent = what they saw before. One of this
  /// and `rematch_entry` at least is there.
  std::optional<std::string> rematch_name;
  /// rematch: which list is walked from then on, an entry of the compiled block: 0 = the list
  /// proper, n = the n-th that ruleset::Builder::begin_entry() opened; absent = the list it is in.
  std::optional<std::uint32_t> rematch_entry;
  friend bool operator==(const Outbound&, const Outbound&) = default;
};

enum class ListenerKind : std::uint8_t { http, socks, mixed, redir, tproxy };

struct User {
  std::string name;
  std::string password;  ///< secret
  friend bool operator==(const User&, const User&) = default;
};

struct Listener {
  std::string name;  ///< unique; "DEFAULT-MIXED" for the general keys
  ListenerKind kind = ListenerKind::mixed;
  IpAddress address;       ///< v6 unspecified = both families
  std::uint16_t port = 0;  ///< 1..65535
  bool udp = true;
  std::vector<User> users;                ///< empty = no authentication
  std::vector<Prefix> skip_auth;          ///< sources that need none
  std::vector<Prefix> allowed_sources;    ///< empty = all
  std::vector<Prefix> denied_sources;     ///< wins over allowed
  std::optional<std::uint32_t> outbound;  ///< skips rules
  /// The list that decides its flows in place of the list proper, as Outbound::rematch_entry.
  std::optional<std::uint32_t> rule_entry;
  friend bool operator==(const Listener&, const Listener&) = default;
};

/// The number by which people know a rule is at most this: it is shown as std::int32_t, -1 = none.
inline constexpr std::uint32_t kLargestRuleNumber = 0x7fffffff;

/// A rule line as shown; the compiled block holds what is matched. Same order, same positions: the
/// lines of the list proper, and behind them those of every sub-rule list that is used, list by
/// list, each line once.
struct RuleLine {
  std::string type;     ///< "DomainSuffix", as the API spells it
  std::string payload;  ///< as written, without options
  std::uint32_t outbound = 0;
  /// Place in the user's list, from 0; lines that were skipped leave gaps. Only echoed: in flows
  /// and explanations. 0..kLargestRuleNumber.
  std::uint32_t number = 0;
  std::string list;  ///< empty = the list proper, else the sub-rule list that `number` counts in
  friend bool operator==(const RuleLine&, const RuleLine&) = default;
};

enum class CaptureMode : std::uint8_t { tproxy, redirect };

/// One DNS hijack target: the control plane's sockets bound to one LAN device.
struct DnsPort {
  std::string device;
  std::uint16_t udp = 0;
  std::uint16_t tcp = 0;
  friend bool operator==(const DnsPort&, const DnsPort&) = default;
};

struct Capture {
  std::vector<std::string> interfaces;  ///< LAN devices; empty = capture off
  CaptureMode mode = CaptureMode::tproxy;
  bool router_traffic = false;
  bool fail_closed = false;
  std::vector<DnsPort> dns;  ///< empty = no hijack
  std::uint32_t bypass_mark = 0x100;
  std::uint32_t tproxy_mark = 0x200;
  std::uint32_t mark_mask = 0xff00;
  std::uint32_t route_table = 100;
  std::uint32_t rule_priority = 1024;  ///< the exception for LAN subnets sits one above (n - 1)
  friend bool operator==(const Capture&, const Capture&) = default;
};

struct Limits {
  std::uint64_t memory = 0;  ///< bytes over all pools; 0 = 1/8 of RAM
  Millis tcp_idle{};         ///< both directions silent
  Millis tcp_half_closed{};  ///< after one side ended
  Millis udp_idle{};
  Millis handshake{};  ///< client hello until a target is known
  Millis connect{};    ///< upstream, all tries together
  bool keep_alive = true;
  std::uint32_t keep_alive_idle_s = 0;        ///< 0 = the kernel's
  std::uint32_t keep_alive_interval_s = 0;    ///< 0 = the kernel's
  Millis udp_question_idle{};                 ///< of a mapping that asked a few questions; 0 = 10 s
  std::uint32_t udp_mappings = 0;             ///< of all workers; 0 = 8192
  std::uint32_t udp_mappings_per_client = 0;  ///< of one client address; 0 = 1024
  friend bool operator==(const Limits&, const Limits&) = default;
};

/// First and last, both inside.
struct PortRange {
  std::uint16_t first = 0;
  std::uint16_t last = 0;
  friend bool operator==(const PortRange&, const PortRange&) = default;
};

/// Where the host that one protocol names is looked for.
struct SniffPorts {
  std::vector<PortRange> ports;      ///< of the destination; empty = nowhere
  bool override_destination = true;  ///< it is dialled as well; false: only rules see it
  friend bool operator==(const SniffPorts&, const SniffPorts&) = default;
};

/// Which flows are looked at, before their rules, for the host that they ask for.
struct Sniffer {
  bool enable = false;
  SniffPorts http;
  SniffPorts tls;
  SniffPorts quic;
  bool force_dns_mapping = true;  ///< those whose address was an answer to a name
  bool parse_pure_ip = true;      ///< those whose destination is an address alone
  // Entries of the compiled block, each of one line behind those of `rules`. A flow that such a
  // line matches is in the list; absent: nobody is.
  std::optional<std::uint32_t> force_domain;      ///< known names that are looked behind
  std::optional<std::uint32_t> skip_domain;       ///< sniffed names that do not count
  std::optional<std::uint32_t> skip_source;       ///< whose flows are not looked at
  std::optional<std::uint32_t> skip_destination;  ///< nor those to them
  friend bool operator==(const Sniffer&, const Sniffer&) = default;
};

enum class RemovedFlows : std::uint8_t { keep, close };

struct Manifest {
  Mode mode = Mode::rule;
  bool ipv6 = true;  ///< false: v6 dials are refused
  bool tcp_concurrent = false;
  std::string interface_name;
  std::uint32_t routing_mark = 0;
  std::vector<Outbound> outbounds;
  std::uint32_t direct = 0;  ///< index of DIRECT
  std::uint32_t reject = 0;  ///< index of REJECT
  std::uint32_t global = 0;  ///< index of GLOBAL
  std::vector<RuleLine> rules;
  Digest ruleset{};  ///< compiled form of `rules` and of the sniffer's lists
  std::vector<Listener> listeners;
  Capture capture;
  std::vector<Prefix> fake_ranges;  ///< destinations in here are names or nothing
  Limits limits;
  RemovedFlows removed_flows = RemovedFlows::keep;
  Sniffer sniffer;
  friend bool operator==(const Manifest&, const Manifest&) = default;
};

/// Answer to Apply. On refusal nothing has changed.
struct Verdict {
  bool accepted = false;
  std::uint64_t generation = 0;  ///< running generation after the call
  std::string reason;            ///< one sentence when refused
  std::string place;             ///< "outbounds[3].server", empty when accepted
};

}  // namespace sluice::contract
