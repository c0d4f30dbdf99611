#include <algorithm>

#include "controlplane/model/keys/types.h"
#include "controlplane/model/read/nearest.h"
#include "controlplane/model/read/readers.h"
#include "controlplane/model/read/words.h"
#include "proto/common/text.h"

namespace sluice::model {
namespace {

using contract::ListenerKind;

// Each listener is a socket per worker and network: bounds a mistyped range.
constexpr std::size_t kMostListeners = 256;

bool takes_udp(ListenerKind kind) noexcept {
  return kind == ListenerKind::socks || kind == ListenerKind::mixed || kind == ListenerKind::tproxy;
}

const IpAddress& any_address() noexcept {
  static const IpAddress any = *IpAddress::parse("::");
  return any;
}

/// 127.0.0.1 unless the LAN is allowed.
IpAddress general_address(const General& general) noexcept {
  if (!general.allow_lan) return IpAddress::v4(0x7f000001);
  const auto ip = IpAddress::parse(general.bind_address);
  return ip ? *ip : any_address();
}

void add_general(const Fields& top, Config& config, References& references) {
  const General& g = config.general;
  const struct {
    std::string_view key, name;
    ListenerKind kind;
    std::uint16_t port;
  } rows[] = {
      {"port", "DEFAULT-HTTP", ListenerKind::http, g.port},
      {"socks-port", "DEFAULT-SOCKS", ListenerKind::socks, g.socks_port},
      {"mixed-port", "DEFAULT-MIXED", ListenerKind::mixed, g.mixed_port},
      {"redir-port", "DEFAULT-REDIR", ListenerKind::redir, g.redir_port},
      {"tproxy-port", "DEFAULT-TPROXY", ListenerKind::tproxy, g.tproxy_port},
  };
  for (const auto& row : rows) {
    if (row.port == 0) continue;
    Listener listener;
    listener.name = row.name;
    listener.kind = row.kind;
    listener.address = general_address(g);
    listener.port = row.port;
    listener.udp = takes_udp(row.kind);
    if (takes_logins(row.kind)) listener.users = g.authentication;
    const Place place = top.place(row.key);
    listener.at = place.at;
    listener.port_place = place;
    references.listeners.push_back(place);
    config.listeners.push_back(std::move(listener));
  }
}

/// Passwords never reach a message.
std::vector<contract::User> read_users(const Fields& entry) {
  std::vector<contract::User> out;
  for (const Fields& user : entry.maps("users")) {
    contract::User u;
    user.text("username", u.name);
    user.text("password", u.password);
    if (u.name.empty()) {
      user.error(user.place("username"), "a user needs a username",
                 "write username: and password:");
      continue;
    }
    out.push_back(std::move(u));
  }
  return out;
}

void read_address(const Fields& entry, IpAddress& out) {
  out = IpAddress::v4(0);
  const auto v = entry.scalar("listen");
  if (!v) return;
  std::string_view text = trim(v->text());
  if (text.starts_with('[') && text.ends_with(']')) text = text.substr(1, text.size() - 2);
  const auto ip = IpAddress::parse(text);
  if (ip) {
    out = *ip;
  } else if (text == "*") {
    out = any_address();
  } else {
    entry.error(v->place(), quote(text) + " is not an address",
                "write 0.0.0.0, \"::\" for both families, or one address of this machine");
  }
}

struct WrittenPort {
  std::uint16_t port = 0;
  Place place;
};

/// "7891", "7891-7893/8000", or a list of such texts.
std::vector<WrittenPort> read_ports(const Fields& entry) {
  std::vector<WrittenPort> out;
  if (!entry.has("port"))
    entry.error(entry.place(), "has no port", "write port: with a number from 1 to 65535");
  if (const auto v = entry.value("port"); v && v->node->is_sequence() && v->node->items.empty())
    entry.warning(v->place(), "is an empty list, so the listener opens nothing",
                  "write a number from 1 to 65535, or remove the listener");
  for (const Value& v : entry.texts("port")) {
    const auto ranges = parse_ports(v.text(), kMostListeners);
    if (!ranges || std::ranges::any_of(*ranges, [](const PortRange& r) { return r.first == 0; })) {
      entry.error(v.place(), quote(v.text()) + " is not a port",
                  "write a number from 1 to 65535, or ranges as 7891-7893/8000");
      continue;
    }
    for (const PortRange& range : *ranges)
      for (std::uint32_t port = range.first; port <= range.last; ++port) {
        if (out.size() == kMostListeners) {
          entry.error(v.place(), "more than " + std::to_string(kMostListeners) + " ports",
                      "open fewer");
          return out;
        }
        out.push_back({static_cast<std::uint16_t>(port), v.place()});
      }
  }
  return out;
}

/// The row of the entry's type; nullptr when it opens nothing (said).
const keys::ListenerType* read_type(const Fields& entry) {
  const auto type = entry.scalar("type");
  if (!type) {
    if (!entry.has("type"))
      entry.error(entry.place(), "has no type", "write type: mixed or another");
    return nullptr;
  }
  const auto types = keys::listener_types();
  const auto row = std::ranges::find(types, type->text(), &keys::ListenerType::name);
  if (row == types.end()) {
    Nearest nearest(type->text());
    for (const auto& known : types) nearest.offer(known.name);
    entry.error(type->place(), quote(type->text()) + " is not a type of listener",
                nearest.remedy("correct it"));
    return nullptr;
  }
  if (!row->kind) {
    entry.warning(type->place(), std::string(row->name) + " is known, not built yet",
                  "the listener is not opened");
    return nullptr;
  }
  for (const Member& member : entry.node().members) {
    const keys::Key* key = row->keys.find(member.key);
    if (key != nullptr && key->state == keys::State::needed && !is_off(*member.value))
      return nullptr;  // check_keys() said it: plain service is not what was asked for
  }
  return &*row;
}

void read_entry(Fields& entry, Config& config, References& references) {
  Listener base;
  entry.text("name", base.name);
  if (base.name.empty()) {
    entry.error(entry.place("name"), "a listener needs a name", "write name:");
    return;
  }
  entry.name_owner(base.name);
  if (base.name.starts_with("DEFAULT-"))
    entry.error(entry.place("name"), "names that begin with DEFAULT- belong to the general ports",
                "choose another name");
  const keys::ListenerType* type = read_type(entry);
  if (type == nullptr) return;
  base.at = entry.node().position();
  base.kind = *type->kind;
  read_address(entry, base.address);
  base.udp = takes_udp(base.kind);
  if (base.udp) entry.flag("udp", base.udp);
  if (takes_logins(base.kind))
    base.users = entry.has("users") ? read_users(entry) : config.general.authentication;
  entry.text("proxy", base.proxy);
  entry.text("rule", base.rule);
  base.rule_place = entry.place("rule");
  const auto ports = read_ports(entry);
  for (const auto& [port, place] : ports) {
    Listener listener = base;
    if (ports.size() > 1) listener.name += ":" + std::to_string(port);
    listener.port = port;
    listener.port_place = place;
    references.listeners.push_back(entry.place(base.proxy.empty() ? "name" : "proxy"));
    config.listeners.push_back(std::move(listener));
  }
}

bool overlap(const IpAddress& a, const IpAddress& b) noexcept {
  const auto covers = [](const IpAddress& x, const IpAddress& y) {
    return x.is_unspecified() && (x.is_v6() || x.family() == y.family());
  };
  return a == b || covers(a, b) || covers(b, a);
}

void check_taken_twice(const Fields& top, const Config& config, const References& references) {
  const auto& all = config.listeners;
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (all[i].name == all[j].name)
        top.error(references.listeners[i],
                  quote(all[i].name) + " is already the name of a listener on line " +
                      std::to_string(all[j].at.line),
                  "rename one of them");
      if (all[i].port == all[j].port && overlap(all[i].address, all[j].address))
        top.error(references.listeners[i],
                  "port " + std::to_string(all[i].port) + " is already taken by " +
                      quote(all[j].name) + " on line " + std::to_string(all[j].at.line),
                  "choose another port");
    }
    const auto& dns = config.dns;
    if (dns.enable && dns.listen && dns.listen->port == all[i].port &&
        overlap(all[i].address, dns.listen->ip))
      top.error(references.listeners[i],
                "port " + std::to_string(all[i].port) + " is already taken by dns.listen",
                "choose another port");
  }
}

}  // namespace

bool takes_logins(ListenerKind kind) noexcept {
  return kind == ListenerKind::http || kind == ListenerKind::socks || kind == ListenerKind::mixed;
}

void read_listeners(const Fields& top, Config& config, References& references) {
  add_general(top, config, references);
  for (Fields& entry : top.maps("listeners")) {
    read_entry(entry, config, references);
    if (config.listeners.size() > kMostListeners) {
      entry.error(entry.place(), "more than " + std::to_string(kMostListeners) + " ports in all",
                  "open fewer");
      return;
    }
  }
  check_taken_twice(top, config, references);
}

}  // namespace sluice::model
