// Keys of `dns`, `sniffer`, `tun`, the providers and the groups.
#include "controlplane/model/keys/key.h"
#include "controlplane/model/keys/tun_keys.h"

namespace sluice::model::keys {
namespace {

constexpr auto kFallbackFilterKeys = keys("geoip", "geoip-code", "ipcidr", "domain", "geosite");
constexpr KeyMap kFallbackFilter{{kFallbackFilterKeys}};

constexpr auto kDnsKeys = keys(
    built("enable"), built("listen"), built("ipv6"), built("use-hosts"), built("enhanced-mode"),
    built("fake-ip-range"), built("fake-ip-range6"), built("fake-ip-ttl"), built("fake-ip-filter"),
    built("fake-ip-filter-mode"), built("default-nameserver"), built("nameserver"),
    built("cache-max-size"), "listen-routing-mark", "ipv6-timeout", "prefer-h3", "use-system-hosts",
    "cache-algorithm", "fallback", map("fallback-filter", kFallbackFilter), "fallback-lazy-query",
    "nameserver-policy", "proxy-server-nameserver", "proxy-server-nameserver-policy",
    "direct-nameserver", "direct-nameserver-follow-policy", "respect-rules");

// Below `sniff` stand names of protocols, in any case: their reader knows them.
constexpr auto kSnifferKeys = keys(
    built("enable"), built("sniff"), built("override-destination"), built("force-dns-mapping"),
    built("parse-pure-ip"), built("force-domain"), built("skip-domain"), built("skip-src-address"),
    built("skip-dst-address"), built("port-whitelist"), built("sniffing"));

constexpr auto kHealthCheckKeys =
    keys("enable", "url", "interval", "timeout", "lazy", "expected-status");
constexpr KeyMap kHealthCheck{{kHealthCheckKeys}};
constexpr auto kProxyNameKeys = keys("pattern", "target");
constexpr KeyMap kProxyName{{kProxyNameKeys}};
constexpr auto kOverrideKeys =
    keys("tfo", "mptcp", "udp", "udp-over-tcp", "up", "down", "dialer-proxy", "skip-cert-verify",
         "name-cert-verify", "interface-name", "routing-mark", "ip-version", "additional-prefix",
         "additional-suffix", maps("proxy-name", kProxyName), "override-expr");
constexpr KeyMap kOverride{{kOverrideKeys}};
constexpr auto kProxyProviderKeys =
    keys("type", "url", "path", "interval", "proxy", "size-limit", "header", "age-secret-key",
         "filter", "exclude-filter", "exclude-type", "dialer-proxy", "payload",
         map("health-check", kHealthCheck), map("override", kOverride));
constexpr auto kRuleProviderKeys =
    keys(built("type"), built("behavior"), built("format"), built("url"), built("path"),
         built("interval"), built("proxy"), built("header"), built("size-limit"), built("payload"),
         "path-in-bundle");

constexpr auto kGroupKeys = keys(
    built("name"), built("type"), built("proxies"), built("default-selected"), built("disable-udp"),
    built("hidden"), built("icon"), "use", "include-all", "include-all-proxies",
    "include-all-providers", "filter", "exclude-filter", "exclude-type", "url", "interval",
    "timeout", "lazy", "max-failed-times", "expected-status", "tolerance", "strategy",
    "empty-fallback", removed("interface-name"), removed("routing-mark"), removed("dialer-proxy"));

}  // namespace

extern const KeyMap kDns, kSniffer, kTun, kProxyProvider, kRuleProvider;
constinit const KeyMap kDns{{kDnsKeys}};
constinit const KeyMap kSniffer{{kSnifferKeys}};
constinit const KeyMap kTun{{kTunKeys}};
constinit const KeyMap kProxyProvider{{kProxyProviderKeys}};
constinit const KeyMap kRuleProvider{{kRuleProviderKeys}};
constinit const KeyMap kGroup{{kGroupKeys}};

}  // namespace sluice::model::keys
