#include <algorithm>

#include "controlplane/model/read/nearest.h"
#include "controlplane/model/read/readers.h"
#include "controlplane/model/read/words.h"
#include "proto/common/text.h"

namespace sluice::model {
namespace {

enum class Mode : std::uint8_t { normal, fake_ip, redir_host };
constexpr std::pair<std::string_view, Mode> kModes[] = {
    {"normal", Mode::normal},
    {"fake-ip", Mode::fake_ip},
    {"redir-host", Mode::redir_host},
};

enum class FilterMode : std::uint8_t { blacklist, whitelist, rule };
constexpr std::pair<std::string_view, FilterMode> kFilterModes[] = {
    {"blacklist", FilterMode::blacklist},
    {"whitelist", FilterMode::whitelist},
    {"rule", FilterMode::rule},
};

/// Forms of a server that are known and not built.
constexpr std::string_view kLaterSchemes[] = {"tls",  "https", "http", "quic",
                                              "dhcp", "ts",    "rcode"};

/// ":1053", "0.0.0.0:53", "[::]:53". An empty host means every address of both families.
void read_listen(const Fields& dns, Dns& out) {
  const auto v = dns.scalar("listen");
  if (!v || v->text().empty()) return;
  const std::string_view text = trim(v->text());
  const std::size_t colon = std::min(text.rfind(':'), text.size());
  std::string_view host = text.substr(0, colon);
  const auto port = parse_number(text.substr(std::min(colon + 1, text.size())), 65535);
  if (host.starts_with('[') && host.ends_with(']')) {
    host = host.substr(1, host.size() - 2);
  } else if (host.empty() || host == "*") {
    host = "::";
  } else if (host == "localhost") {
    host = "127.0.0.1";
  } else if (host.find(':') != std::string_view::npos) {
    host = {};  // v6 without brackets: the port could not be told apart
  }
  const auto ip = IpAddress::parse(host);
  if (!port || !ip || *port == 0) {
    dns.error(v->place(), quote(text) + " is not an address with a port",
              "write for example 127.0.0.1:1053, or :53 for all addresses");
    return;
  }
  out.listen = Endpoint{*ip, static_cast<std::uint16_t>(*port)};
  out.listen_origin = {v->place().at};
}

bool range_fits(const Prefix& prefix) noexcept {
  // Room for a handful of names at least, and not the whole address space.
  return prefix.base.is_v4() ? prefix.length >= 8 && prefix.length <= 28
                             : prefix.length >= 16 && prefix.length <= 120;
}

std::optional<Prefix> read_range(const Fields& dns, std::string_view key, Family family) {
  const auto v = dns.scalar(key);
  if (!v) return std::nullopt;
  const auto prefix = Prefix::parse(v->text());
  if (prefix && prefix->base.family() == family && range_fits(*prefix)) return *prefix;
  const bool v4 = family == Family::v4;
  dns.error(v->place(),
            quote(v->text()) + (v4 ? " is not an IPv4 range of /8 to /28"
                                   : " is not an IPv6 range of /16 to /120"),
            v4 ? "write for example 198.18.0.1/16" : "write for example fc00:18::/112");
  return std::nullopt;
}

void read_mode(const Fields& dns, Dns& out) {
  Mode mode = Mode::normal;
  dns.choice("enhanced-mode", kModes, mode);
  out.mode = mode == Mode::fake_ip ? DnsMode::fake_ip : DnsMode::normal;
  if (mode == Mode::redir_host)
    dns.warning(dns.place("enhanced-mode"), "redir-host is known, not built yet",
                "answers are as in mode normal: real addresses, rules by name only where "
                "the name is seen");
}

void read_filter_entry(const Fields& dns, const Value& v, Dns& out) {
  for (const std::string_view set : {"geosite:", "rule-set:"}) {
    if (!v.text().starts_with(set)) continue;
    dns.warning(v.place(), quote(v.text()) + " is known, not built yet", "the entry is skipped");
    return;
  }
  auto pattern = to_ascii_pattern(v.text());
  if (pattern) {
    out.fake_ip_filter.push_back(std::move(*pattern));
  } else if (pattern.error().code == Errc::unsupported) {
    dns.error(v.place(), quote(v.text()) + " is not a pattern of fake-ip-filter",
              "`*` is one whole label; `+.` and `.` only lead");
  } else {
    dns.warning(v.place(), "no name can be like " + quote(v.text()), "the entry is skipped");
  }
}

void read_filter(const Fields& dns, Dns& out) {
  FilterMode mode = FilterMode::blacklist;
  dns.choice("fake-ip-filter-mode", kFilterModes, mode);
  if (mode == FilterMode::rule) {
    dns.warning(dns.place("fake-ip-filter-mode"), "rule is known, not built yet",
                "fake-ip-filter has no effect");
    return;
  }
  out.fake_ip_filter_mode =
      mode == FilterMode::whitelist ? FakeIpFilterMode::whitelist : FakeIpFilterMode::blacklist;
  for (const Value& v : dns.texts("fake-ip-filter")) read_filter_entry(dns, v, out);
}

/// "host", "host:port", "[v6]:port", "v6".
std::optional<DnsServer> parse_server(std::string_view text, DnsTransport transport) {
  DnsServer server{transport, {}, 53};
  std::string_view host = text;
  if (const auto split = split_host_port(text); split && !IpAddress::parse(text)) {
    host = split->host;
    server.port = split->port;
  }
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  if (const auto ip = IpAddress::parse(host)) {
    server.host = ip->to_string();
  } else if (auto name = to_ascii_name(host)) {
    server.host = std::move(*name);
  } else {
    return std::nullopt;
  }
  if (server.port == 0) return std::nullopt;
  return server;
}

bool is_later_scheme(std::string_view scheme) noexcept {
  return std::ranges::find(kLaterSchemes, scheme) != std::end(kLaterSchemes);
}

/// One server text. Nothing when it is wrong (reported) or not built (warned about, skipped): a
/// query is never sent another way than written.
std::optional<DnsServer> read_server(const Fields& dns, const Value& v) {
  const std::string_view text = trim(v.text());
  if (text == "system" || text == "system://") return DnsServer{DnsTransport::system, {}, 0};
  DnsTransport transport = DnsTransport::udp;
  std::string_view rest = text;
  if (const std::size_t colon = text.find("://"); colon != std::string_view::npos) {
    const std::string_view scheme = text.substr(0, colon);
    rest = text.substr(colon + 3);
    if (is_later_scheme(scheme)) {
      dns.warning(v.place(), std::string(scheme) + ":// is known, not built yet",
                  "the server is skipped");
      return std::nullopt;
    }
    if (scheme != "udp" && scheme != "tcp") {
      Nearest nearest(scheme);
      for (const std::string_view known : kLaterSchemes) nearest.offer(known);
      dns.error(v.place(), quote(scheme) + " is not a kind of name server",
                nearest.remedy("write udp://, tcp:// or a plain address"));
      return std::nullopt;
    }
    if (scheme == "tcp") transport = DnsTransport::tcp;
  }
  if (rest.find('#') != std::string_view::npos) {
    dns.warning(v.place(), "options after # are known, not built yet", "the server is skipped");
    return std::nullopt;
  }
  if (rest.ends_with('/')) rest.remove_suffix(1);
  auto server = parse_server(rest, transport);
  if (!server)
    dns.error(v.place(), quote(text) + " is not a name server",
              "write for example 1.1.1.1, udp://1.1.1.1:53 or tcp://[2606:4700::1111]");
  return server;
}

std::vector<DnsServer> read_servers(const Fields& dns, std::string_view key) {
  std::vector<DnsServer> out;
  for (const Value& v : dns.texts(key)) {
    auto server = read_server(dns, v);
    if (server && std::ranges::find(out, *server) == out.end()) out.push_back(std::move(*server));
  }
  return out;
}

void read_default_servers(const Fields& dns, Dns& out) {
  for (const Value& v : dns.texts("default-nameserver")) {
    auto server = read_server(dns, v);
    if (!server) continue;
    if (server->transport != DnsTransport::system && !IpAddress::parse(server->host)) {
      dns.error(v.place(), quote(v.text()) + " is a name",
                "these servers look up the names of the others: write addresses");
      continue;
    }
    out.default_nameserver.push_back(std::move(*server));
  }
}

/// The main set is never empty: what stands in for it is said when servers were written.
void fill_main_set(const Fields& dns, Dns& out) {
  if (!out.nameserver.empty()) return;
  const bool bootstrap = !out.default_nameserver.empty();
  out.nameserver =
      bootstrap ? out.default_nameserver : std::vector<DnsServer>{{DnsTransport::system, {}, 0}};
  if (dns.has("nameserver"))
    dns.warning(dns.place("nameserver"), "none of these servers is built yet",
                bootstrap ? "the servers of default-nameserver answer in their place"
                          : "the servers of /etc/resolv.conf answer in their place");
}

}  // namespace

void read_dns(const Fields& top, Dns& out) {
  const auto dns = top.map("dns");
  if (!dns) {
    out.nameserver = {{DnsTransport::system, {}, 0}};
    return;
  }
  dns->flag("enable", out.enable);
  read_listen(*dns, out);
  dns->flag("ipv6", out.ipv6);
  dns->flag("use-hosts", out.use_hosts);
  read_mode(*dns, out);
  if (const auto range = read_range(*dns, "fake-ip-range", Family::v4)) out.fake_ip_range = *range;
  out.fake_ip_range6 = read_range(*dns, "fake-ip-range6", Family::v6);
  dns->number("fake-ip-ttl", out.fake_ip_ttl_s, 1, 86'400);
  read_filter(*dns, out);
  read_default_servers(*dns, out);
  out.nameserver = read_servers(*dns, "nameserver");
  fill_main_set(*dns, out);
  dns->number("cache-max-size", out.cache_max_size, 0, 1'000'000);
}

}  // namespace sluice::model
