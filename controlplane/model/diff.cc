#include "controlplane/model/diff.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <tuple>
#include <unordered_map>

#include "controlplane/model/diff/differ.h"

namespace sluice::model {
namespace {

constexpr std::tuple kPorts{
    Part{"port", &General::port},
    Part{"socks-port", &General::socks_port},
    Part{"mixed-port", &General::mixed_port},
    Part{"redir-port", &General::redir_port},
    Part{"tproxy-port", &General::tproxy_port},
};

constexpr std::tuple kGeneral{
    Part{"allow-lan", &General::allow_lan},
    Part{"bind-address", &General::bind_address},
    Secret{"authentication", &General::authentication},
    Part{"skip-auth-prefixes", &General::skip_auth_prefixes},
    Part{"lan-allowed-ips", &General::lan_allowed_ips},
    Part{"lan-disallowed-ips", &General::lan_disallowed_ips},
    Part{"mode", &General::mode},
    Part{"log-level", &General::log_level},
    Part{"ipv6", &General::ipv6},
    Part{"tcp-concurrent", &General::tcp_concurrent},
    Part{"interface-name", &General::interface_name},
    Part{"routing-mark", &General::routing_mark},
    Part{"disable-keep-alive", [](const General& g) { return !g.keep_alive; }},
    Part{"keep-alive-idle", &General::keep_alive_idle_s},
    Part{"keep-alive-interval", &General::keep_alive_interval_s},
    Part{"profile.store-selected", &General::store_selected},
    Part{"profile.store-fake-ip", &General::store_fake_ip},
};

constexpr std::tuple kDns{
    Part{"dns.enable", &Dns::enable},
    Part{"dns.listen", &Dns::listen},
    Part{"dns.ipv6", &Dns::ipv6},
    Part{"dns.use-hosts", &Dns::use_hosts},
    Part{"dns.enhanced-mode", &Dns::mode},
    Part{"dns.fake-ip-range", &Dns::fake_ip_range},
    Part{"dns.fake-ip-range6", &Dns::fake_ip_range6},
    Part{"dns.fake-ip-ttl", &Dns::fake_ip_ttl_s},
    Part{"dns.fake-ip-filter", &Dns::fake_ip_filter},
    Part{"dns.fake-ip-filter-mode", &Dns::fake_ip_filter_mode},
    Part{"dns.default-nameserver", &Dns::default_nameserver},
    Part{"dns.nameserver", &Dns::nameserver},
    Part{"dns.cache-max-size", &Dns::cache_max_size},
};

constexpr std::tuple kSniffer{
    Part{"sniffer.enable", &Sniffer::enable},
    Part{"sniffer.sniff.HTTP.ports", [](const Sniffer& s) { return s.http.ports; }},
    Part{"sniffer.sniff.HTTP.override-destination",
         [](const Sniffer& s) { return s.http.override_destination; }},
    Part{"sniffer.sniff.TLS.ports", [](const Sniffer& s) { return s.tls.ports; }},
    Part{"sniffer.sniff.TLS.override-destination",
         [](const Sniffer& s) { return s.tls.override_destination; }},
    Part{"sniffer.sniff.QUIC.ports", [](const Sniffer& s) { return s.quic.ports; }},
    Part{"sniffer.sniff.QUIC.override-destination",
         [](const Sniffer& s) { return s.quic.override_destination; }},
    Part{"sniffer.force-dns-mapping", &Sniffer::force_dns_mapping},
    Part{"sniffer.parse-pure-ip", &Sniffer::parse_pure_ip},
    Part{"sniffer.force-domain", &Sniffer::force_domain},
    Part{"sniffer.skip-domain", &Sniffer::skip_domain},
    Part{"sniffer.skip-src-address", &Sniffer::skip_src_address},
    Part{"sniffer.skip-dst-address", &Sniffer::skip_dst_address},
};

constexpr std::tuple kCapture{
    Part{"sluice.capture.interfaces", &Capture::interfaces},
    Part{"sluice.capture.mode", &Capture::mode},
    Part{"sluice.capture.dns-hijack", &Capture::dns_hijack},
    Part{"sluice.capture.router-traffic", &Capture::router_traffic},
    Part{"sluice.capture.when-down", &Capture::when_down},
    Part{"sluice.capture.bypass-mark", &Capture::bypass_mark},
    Part{"sluice.capture.tproxy-mark", &Capture::tproxy_mark},
    Part{"sluice.capture.mark-mask", &Capture::mark_mask},
    Part{"sluice.capture.route-table", &Capture::route_table},
    Part{"sluice.capture.rule-priority", &Capture::rule_priority},
};

constexpr std::tuple kTimeouts{
    Part{"sluice.timeouts.tcp-idle", &Timeouts::tcp_idle},
    Part{"sluice.timeouts.tcp-half-closed", &Timeouts::tcp_half_closed},
    Part{"sluice.timeouts.udp-idle", &Timeouts::udp_idle},
    Part{"sluice.timeouts.handshake", &Timeouts::handshake},
    Part{"sluice.timeouts.connect", &Timeouts::connect},
};

constexpr std::tuple kStats{
    Part{"sluice.stats.keep-hours", &Statistics::keep_hours},
    Part{"sluice.stats.keep-days", &Statistics::keep_days},
    Part{"sluice.stats.top-hosts", &Statistics::top_hosts},
    Part{"sluice.stats.max-size", &Statistics::max_size},
    Part{"sluice.stats.storage", &Statistics::storage},
};

constexpr std::tuple kUdp{
    Part{"sluice.udp.max-mappings", &Udp::max_mappings},
    Part{"sluice.udp.max-mappings-per-client", &Udp::max_mappings_per_client},
    Part{"sluice.udp.dns-timeout", &Udp::dns_timeout},
};

constexpr std::tuple kSluice{
    Part{"sluice.leases", &SluiceMap::leases},
    Part{"sluice.memory-limit", &SluiceMap::memory_limit},
    Part{"sluice.fake-ip-size", &SluiceMap::fake_ip_size},
    Part{"sluice.removed-flows", &SluiceMap::removed_flows},
};

constexpr std::tuple kHost{
    Part{"value", [](const Host& h) { return std::tie(h.addresses, h.alias, h.lan); }},
};

constexpr std::tuple kListener{
    Part{"type", &Listener::kind},   Part{"listen", &Listener::address},
    Part{"port", &Listener::port},   Part{"udp", &Listener::udp},
    Part{"users", &Listener::users}, Part{"proxy", &Listener::proxy},
    Part{"rule", &Listener::rule},
};

constexpr std::tuple kProxy{
    Part{"type", [](const Proxy& p) { return std::tie(p.type_name, p.kind); }},
    Part{"server", &Proxy::server},
    Part{"port", &Proxy::port},
    Part{"udp", &Proxy::udp},
    Part{"ip-version", &Proxy::ip_version},
    Part{"interface-name", &Proxy::interface_name},
    Part{"routing-mark", &Proxy::routing_mark},
    Part{"username", &Proxy::username},
    Part{"password", &Proxy::password},
    Part{"cipher", &Proxy::cipher},
    Part{"options", [](const Proxy& p) { return std::tie(p.why_unbuilt, p.rematch); }},
};

constexpr std::tuple kGroup{
    Part{"type", &Group::type_name},       Part{"proxies", &Group::members},
    Part{"first choice", &Group::initial}, Part{"disable-udp", &Group::udp},
    Part{"hidden", &Group::hidden},        Part{"icon", &Group::icon},
};

constexpr std::tuple kSubRules{
    Part{"lines", &SubRules::rules},
};

constexpr std::tuple kRuleProvider{
    Part{"type", &RuleProvider::kind},
    Part{"behavior", &RuleProvider::behavior},
    Part{"format", &RuleProvider::format},
    Part{"url", &RuleProvider::urls},
    Part{"path", &RuleProvider::path},
    Part{"interval", &RuleProvider::interval},
    Part{"proxy", &RuleProvider::proxy},
    Part{"header", &RuleProvider::headers},
    Part{"size-limit", &RuleProvider::size_limit},
    Part{"payload", &RuleProvider::payload},
    Part{"path-in-bundle", &RuleProvider::path_in_bundle},
};

constexpr std::tuple kGeo{
    Part{"geodata-mode", &Geo::dat},
    Part{"geodata-loader", &Geo::loader},
    Part{"geosite-matcher", &Geo::matcher},
    Part{"geo-auto-update", &Geo::auto_update},
    Part{"geo-update-interval", &Geo::update_interval_h},
    Part{"find-process-mode", &Geo::find_process},
    Part{"etag-support", &Geo::etag},
    Part{"global-ua", &Geo::user_agent},
    Secret{"geox-url", &Geo::url},  // addresses may hold passwords
};

/// Lines that came and went, as multisets; what is left is a change of order.
void diff_rules(const std::vector<Rule>& a, const std::vector<Rule>& b, Differ& out) {
  std::unordered_map<std::string, std::ptrdiff_t> balance;
  for (const Rule& rule : b) ++balance[to_text(rule)];
  std::vector<std::string> removed;
  for (const Rule& rule : a)
    if (--balance[to_text(rule)] < 0) removed.push_back(to_text(rule));
  std::size_t changes = removed.size();
  for (const std::string& text : removed) out.line("rules: removed " + text);
  for (const Rule& rule : b) {
    auto& left = balance[to_text(rule)];
    if (left <= 0) continue;
    --left;
    ++changes;
    out.line("rules: added " + to_text(rule));
  }
  if (changes > 0 || a == b) return;
  const auto as_text = [](const Rule& rule) { return to_text(rule); };
  out.line(std::ranges::equal(a, b, {}, as_text, as_text)
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
  out.values(kPorts, a.general, b.general);
  out.values(kGeneral, a.general, b.general);
  out.named("hosts", a.hosts, b.hosts, &Host::pattern, kHost);
  out.named("listeners", written_listeners(a), written_listeners(b), &Listener::name, kListener);
  out.values(kDns, a.dns, b.dns);
  out.values(kSniffer, a.sniffer, b.sniffer);
  out.values(kCapture, a.sluice.capture, b.sluice.capture);
  out.values(kTimeouts, a.sluice.timeouts, b.sluice.timeouts);
  out.values(kStats, a.sluice.stats, b.sluice.stats);
  out.values(kUdp, a.sluice.udp, b.sluice.udp);
  out.values(kSluice, a.sluice, b.sluice);
  out.named("proxies", a.proxies, b.proxies, &Proxy::name, kProxy);
  out.named("proxy-groups", a.groups, b.groups, &Group::name, kGroup);
  out.values(kGeo, a.geo, b.geo);
  out.named("rule-providers", a.rule_providers, b.rule_providers, &RuleProvider::name,
            kRuleProvider);
  out.named("sub-rules", a.sub_rules, b.sub_rules, &SubRules::name, kSubRules);
  diff_rules(a.rules, b.rules, out);
  return out.take();
}

}  // namespace sluice::model
