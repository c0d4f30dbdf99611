#include "controlplane/model/diff.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace sluice::model {
namespace {

std::string show(bool v) {
  return v ? "true" : "false";
}
std::string show(std::uint64_t v) {
  return std::to_string(v);
}
std::string show(const std::string& v) {
  return v.empty() ? "(none)" : v;
}
std::string show(Millis v) {
  return std::to_string(v.count) + " ms";
}
std::string show(const Prefix& v) {
  return v.to_string();
}
std::string show(const Endpoint& v) {
  return v.to_string();
}
std::string show(LogLevel v) {
  return std::string(to_text(v));
}
std::string show(contract::Mode v) {
  return v == contract::Mode::rule ? "rule" : v == contract::Mode::global ? "global" : "direct";
}
std::string show(contract::CaptureMode v) {
  return v == contract::CaptureMode::tproxy ? "tproxy" : "redirect";
}
std::string show(contract::RemovedFlows v) {
  return v == contract::RemovedFlows::keep ? "keep" : "close";
}
std::string show(WhenDown v) {
  return v == WhenDown::open ? "open" : "closed";
}
std::string show(DnsMode v) {
  return v == DnsMode::fake_ip ? "fake-ip" : "normal";
}
std::string show(FakeIpFilterMode v) {
  return v == FakeIpFilterMode::whitelist ? "whitelist" : "blacklist";
}
std::string show(const DnsServer& v) {
  if (v.transport == DnsTransport::system) return "system";
  return (v.transport == DnsTransport::tcp ? "tcp://" : "udp://") + v.host + ":" +
         std::to_string(v.port);
}
template <class T>
std::string show(const std::optional<T>& v) {
  return v ? show(*v) : "(none)";
}
template <class T>
std::string show(const std::vector<T>& v) {
  std::string out;
  for (const T& item : v) out += (out.empty() ? "" : ", ") + show(item);
  return "[" + out + "]";
}

/// Compares item by item and writes one line for each that differs.
class Differ {
 public:
  template <class T>
  void item(std::string_view key, const T& a, const T& b) {
    if (a != b) line(std::string(key) + ": " + show(a) + " -> " + show(b));
  }
  /// For what must not be shown (secrets) or says nothing as text.
  template <class T>
  void hidden(std::string_view key, const T& a, const T& b) {
    if (a != b) line(std::string(key) + ": changed");
  }
  void line(std::string text) { lines_.push_back(std::move(text)); }
  [[nodiscard]] std::vector<std::string> take() noexcept { return std::move(lines_); }

  /// Lists of named things: added, removed, changed (with `what` naming the parts), and order.
  template <class T, class What>
  void named(std::string_view list, const std::vector<T>& a, const std::vector<T>& b,
             const std::string T::* name, What what) {
    const auto index = [&](const std::vector<T>& v) {
      std::unordered_map<std::string_view, const T*> out;
      for (const T& t : v) out.emplace(t.*name, &t);
      return out;
    };
    const auto old_ones = index(a);
    const auto new_ones = index(b);
    const std::string lead = std::string(list) + ": ";
    for (const T& t : a)
      if (!new_ones.contains(t.*name)) line(lead + "removed " + t.*name);
    for (const T& t : b) {
      const auto it = old_ones.find(t.*name);
      if (it == old_ones.end()) {
        line(lead + "added " + t.*name);
      } else if (!(*it->second == t)) {
        line(lead + t.*name + ": " + what(*it->second, t) + " changed");
      }
    }
    if (order_differs(a, b, name)) line(lead + "order changed");
  }

 private:
  template <class T>
  static bool order_differs(const std::vector<T>& a, const std::vector<T>& b,
                            const std::string T::* name) {
    return a.size() == b.size() && !std::ranges::equal(a, b, {}, name, name) &&
           std::ranges::is_permutation(a, b, {}, name, name);
  }

  std::vector<std::string> lines_;
};

/// "server, port": the names of those parts that differ.
class Parts {
 public:
  template <class T>
  Parts& add(std::string_view name, const T& a, const T& b) {
    if (a != b) text_ += (text_.empty() ? "" : ", ") + std::string(name);
    return *this;
  }
  [[nodiscard]] std::string take() noexcept { return std::move(text_); }

 private:
  std::string text_;
};

std::string listener_parts(const Listener& a, const Listener& b) {
  return Parts()
      .add("type", a.kind, b.kind)
      .add("listen", a.address, b.address)
      .add("port", a.port, b.port)
      .add("udp", a.udp, b.udp)
      .add("users", a.users, b.users)
      .add("proxy", a.proxy, b.proxy)
      .take();
}

std::string proxy_parts(const Proxy& a, const Proxy& b) {
  return Parts()
      .add("type", std::tie(a.type_name, a.kind), std::tie(b.type_name, b.kind))
      .add("server", a.server, b.server)
      .add("port", a.port, b.port)
      .add("udp", a.udp, b.udp)
      .add("ip-version", a.ip_version, b.ip_version)
      .add("interface-name", a.interface_name, b.interface_name)
      .add("routing-mark", a.routing_mark, b.routing_mark)
      .add("username", a.username, b.username)
      .add("password", a.password, b.password)
      .add("cipher", a.cipher, b.cipher)
      .add("options", a.why_unbuilt, b.why_unbuilt)
      .take();
}

std::string group_parts(const Group& a, const Group& b) {
  return Parts()
      .add("type", a.type_name, b.type_name)
      .add("proxies", a.members, b.members)
      .add("first choice", a.initial, b.initial)
      .add("disable-udp", a.udp, b.udp)
      .add("hidden", a.hidden, b.hidden)
      .add("icon", a.icon, b.icon)
      .take();
}

std::string host_parts(const Host&, const Host&) {
  return "value";
}

void diff_general(const General& a, const General& b, Differ& out) {
  out.item("allow-lan", a.allow_lan, b.allow_lan);
  out.item("bind-address", a.bind_address, b.bind_address);
  out.hidden("authentication", a.authentication, b.authentication);
  out.item("skip-auth-prefixes", a.skip_auth_prefixes, b.skip_auth_prefixes);
  out.item("lan-allowed-ips", a.lan_allowed_ips, b.lan_allowed_ips);
  out.item("lan-disallowed-ips", a.lan_disallowed_ips, b.lan_disallowed_ips);
  out.item("mode", a.mode, b.mode);
  out.item("log-level", a.log_level, b.log_level);
  out.item("ipv6", a.ipv6, b.ipv6);
  out.item("tcp-concurrent", a.tcp_concurrent, b.tcp_concurrent);
  out.item("interface-name", a.interface_name, b.interface_name);
  out.item("routing-mark", std::uint64_t{a.routing_mark}, std::uint64_t{b.routing_mark});
  out.item("disable-keep-alive", !a.keep_alive, !b.keep_alive);
  out.item("keep-alive-idle", std::uint64_t{a.keep_alive_idle_s},
           std::uint64_t{b.keep_alive_idle_s});
  out.item("keep-alive-interval", std::uint64_t{a.keep_alive_interval_s},
           std::uint64_t{b.keep_alive_interval_s});
  out.item("profile.store-selected", a.store_selected, b.store_selected);
  out.item("profile.store-fake-ip", a.store_fake_ip, b.store_fake_ip);
}

void diff_ports(const General& a, const General& b, Differ& out) {
  const auto port = [&](std::string_view key, std::uint16_t x, std::uint16_t y) {
    out.item(key, std::uint64_t{x}, std::uint64_t{y});
  };
  port("port", a.port, b.port);
  port("socks-port", a.socks_port, b.socks_port);
  port("mixed-port", a.mixed_port, b.mixed_port);
  port("redir-port", a.redir_port, b.redir_port);
  port("tproxy-port", a.tproxy_port, b.tproxy_port);
}

void diff_dns(const Dns& a, const Dns& b, Differ& out) {
  out.item("dns.enable", a.enable, b.enable);
  out.item("dns.listen", a.listen, b.listen);
  out.item("dns.ipv6", a.ipv6, b.ipv6);
  out.item("dns.use-hosts", a.use_hosts, b.use_hosts);
  out.item("dns.enhanced-mode", a.mode, b.mode);
  out.item("dns.fake-ip-range", a.fake_ip_range, b.fake_ip_range);
  out.item("dns.fake-ip-range6", a.fake_ip_range6, b.fake_ip_range6);
  out.item("dns.fake-ip-ttl", std::uint64_t{a.fake_ip_ttl_s}, std::uint64_t{b.fake_ip_ttl_s});
  out.item("dns.fake-ip-filter", a.fake_ip_filter, b.fake_ip_filter);
  out.item("dns.fake-ip-filter-mode", a.fake_ip_filter_mode, b.fake_ip_filter_mode);
  out.item("dns.default-nameserver", a.default_nameserver, b.default_nameserver);
  out.item("dns.nameserver", a.nameserver, b.nameserver);
  out.item("dns.cache-max-size", std::uint64_t{a.cache_max_size}, std::uint64_t{b.cache_max_size});
}

void diff_sluice(const SluiceMap& a, const SluiceMap& b, Differ& out) {
  const auto number = [&](std::string_view key, std::uint64_t x, std::uint64_t y) {
    out.item(key, x, y);
  };
  out.item("sluice.capture.interfaces", a.capture.interfaces, b.capture.interfaces);
  out.item("sluice.capture.mode", a.capture.mode, b.capture.mode);
  out.item("sluice.capture.dns-hijack", a.capture.dns_hijack, b.capture.dns_hijack);
  out.item("sluice.capture.router-traffic", a.capture.router_traffic, b.capture.router_traffic);
  out.item("sluice.capture.when-down", a.capture.when_down, b.capture.when_down);
  number("sluice.capture.bypass-mark", a.capture.bypass_mark, b.capture.bypass_mark);
  number("sluice.capture.tproxy-mark", a.capture.tproxy_mark, b.capture.tproxy_mark);
  number("sluice.capture.mark-mask", a.capture.mark_mask, b.capture.mark_mask);
  number("sluice.capture.route-table", a.capture.route_table, b.capture.route_table);
  number("sluice.capture.rule-priority", a.capture.rule_priority, b.capture.rule_priority);
  out.item("sluice.timeouts.tcp-idle", a.timeouts.tcp_idle, b.timeouts.tcp_idle);
  out.item("sluice.timeouts.tcp-half-closed", a.timeouts.tcp_half_closed,
           b.timeouts.tcp_half_closed);
  out.item("sluice.timeouts.udp-idle", a.timeouts.udp_idle, b.timeouts.udp_idle);
  out.item("sluice.timeouts.handshake", a.timeouts.handshake, b.timeouts.handshake);
  out.item("sluice.timeouts.connect", a.timeouts.connect, b.timeouts.connect);
  number("sluice.memory-limit", a.memory_limit, b.memory_limit);
  number("sluice.fake-ip-size", a.fake_ip_size, b.fake_ip_size);
  out.item("sluice.removed-flows", a.removed_flows, b.removed_flows);
}

/// A rule as its line reads, for comparing and for people.
std::string rule_text(const Rule& rule) {
  std::string out(api_name(rule.type));
  if (!rule.payload_text.empty()) out += "," + rule.payload_text;
  out += "," + rule.target;
  return rule.no_resolve ? out + ",no-resolve" : out;
}

/// Lines that came and went, as multisets; what is left is a change of order.
void diff_rules(const std::vector<Rule>& a, const std::vector<Rule>& b, Differ& out) {
  std::unordered_map<std::string, std::ptrdiff_t> balance;
  for (const Rule& rule : b) ++balance[rule_text(rule)];
  std::vector<std::string> removed;
  for (const Rule& rule : a)
    if (--balance[rule_text(rule)] < 0) removed.push_back(rule_text(rule));
  std::size_t changes = removed.size();
  for (const std::string& text : removed) out.line("rules: removed " + text);
  for (const Rule& rule : b) {
    auto& left = balance[rule_text(rule)];
    if (left <= 0) continue;
    --left;
    ++changes;
    out.line("rules: added " + rule_text(rule));
  }
  if (changes > 0 || a == b) return;
  out.line(std::ranges::equal(a, b, {}, rule_text, rule_text)
               ? "rules: lines that are skipped changed the numbering"
               : "rules: order changed");
}

/// Those of `listeners:`; the general ports have their own lines.
std::vector<Listener> written_listeners(const Config& config) {
  std::vector<Listener> out;
  std::ranges::copy_if(config.listeners, std::back_inserter(out),
                       [](const Listener& l) { return !l.name.starts_with("DEFAULT-"); });
  return out;
}

}  // namespace

std::vector<std::string> diff(const Config& a, const Config& b) {
  Differ out;
  diff_ports(a.general, b.general, out);
  diff_general(a.general, b.general, out);
  out.named("hosts", a.hosts, b.hosts, &Host::pattern, host_parts);
  out.named("listeners", written_listeners(a), written_listeners(b), &Listener::name,
            listener_parts);
  diff_dns(a.dns, b.dns, out);
  diff_sluice(a.sluice, b.sluice, out);
  out.named("proxies", a.proxies, b.proxies, &Proxy::name, proxy_parts);
  out.named("proxy-groups", a.groups, b.groups, &Group::name, group_parts);
  diff_rules(a.rules, b.rules, out);
  return out.take();
}

}  // namespace sluice::model
