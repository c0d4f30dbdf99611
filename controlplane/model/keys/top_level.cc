// Keys of the file itself and of the maps directly below it.
#include "controlplane/model/keys/key.h"

namespace sluice::model::keys {
namespace {

constexpr auto kProfileKeys = keys(built("store-selected"), built("store-fake-ip"));
constexpr KeyMap kProfile{{kProfileKeys}};

constexpr auto kGeoxUrlKeys = keys(built("geoip"), built("geosite"), built("mmdb"), built("asn"));
constexpr KeyMap kGeoxUrl{{kGeoxUrlKeys}};

constexpr auto kNtpKeys =
    keys("enable", "server", "port", "interval", "dialer-proxy", "write-to-system");
constexpr KeyMap kNtp{{kNtpKeys}};

constexpr auto kExperimentalKeys = keys("quic-go-disable-gso", "quic-go-disable-ecn",
                                        "dialer-ip4p-convert", removed("fingerprints"));
constexpr KeyMap kExperimental{{kExperimentalKeys}};

constexpr auto kTlsKeys = keys("certificate", "private-key", "client-auth-type", "client-auth-cert",
                               "ech-key", "custom-certifactes");
constexpr KeyMap kTls{{kTlsKeys}};

constexpr auto kIptablesKeys = keys("enable", "inbound-interface", "bypass", "dns-redirect");
constexpr KeyMap kIptables{{kIptablesKeys}};

constexpr auto kCorsKeys = keys("allow-origins", "allow-origin", "allow-private-network");
constexpr KeyMap kCors{{kCorsKeys}};

constexpr auto kAndroidKeys = keys("append-system-dns", "ui-subtitle-pattern");
constexpr KeyMap kAndroid{{kAndroidKeys}};

constexpr auto kTunnelKeys = keys("network", "address", "target", "proxy");
constexpr KeyMap kTunnel{{kTunnelKeys}};

constexpr auto kCaptureKeys =
    keys(built("interfaces"), built("mode"), built("dns-hijack"), built("router-traffic"),
         built("when-down"), built("bypass-mark"), built("tproxy-mark"), built("mark-mask"),
         built("route-table"), built("rule-priority"));
constexpr KeyMap kCapture{{kCaptureKeys}};

constexpr auto kTimeoutKeys = keys(built("tcp-idle"), built("tcp-half-closed"), built("udp-idle"),
                                   built("handshake"), built("connect"));
constexpr KeyMap kTimeouts{{kTimeoutKeys}};

constexpr auto kUdpKeys =
    keys(built("max-mappings"), built("max-mappings-per-client"), built("dns-timeout"));
constexpr KeyMap kUdp{{kUdpKeys}};

constexpr auto kStatsKeys = keys(built("keep-hours"), built("keep-days"), built("top-hosts"),
                                 built("max-size"), built("storage"));
constexpr KeyMap kStats{{kStatsKeys}};

constexpr auto kSluiceKeys =
    keys(map("capture", kCapture, State::built), map("timeouts", kTimeouts, State::built),
         map("udp", kUdp, State::built), map("stats", kStats, State::built), built("leases"),
         built("memory-limit"), built("fake-ip-size"), built("removed-flows"));
constexpr KeyMap kSluice{{kSluiceKeys}};

}  // namespace

extern const KeyMap kDns;
extern const KeyMap kSniffer;
extern const KeyMap kTun;
extern const KeyMap kTuicServer;
extern const KeyMap kProxyProvider;
extern const KeyMap kRuleProvider;

namespace {

constexpr auto kGeneralKeys =
    keys(built("port"), built("socks-port"), built("mixed-port"), built("redir-port"),
         built("tproxy-port"), built("allow-lan"), built("bind-address"), built("authentication"),
         built("skip-auth-prefixes"), built("lan-allowed-ips"), built("lan-disallowed-ips"),
         built("mode"), built("log-level"), built("ipv6"), built("tcp-concurrent"),
         built("interface-name"), built("routing-mark"), built("keep-alive-idle"),
         built("keep-alive-interval"), built("disable-keep-alive"), built("hosts"),
         map("profile", kProfile, State::built), built("listeners"), built("proxies"),
         built("proxy-groups"), built("rules"), built("sub-rules"), map("dns", kDns, State::built),
         map("sniffer", kSniffer, State::built), map("sluice", kSluice, State::built));

constexpr auto kLaterKeys =
    keys("unified-delay", "inbound-tfo", "inbound-mptcp", map("ntp", kNtp),
         map("experimental", kExperimental), map("tls", kTls), map("iptables", kIptables),
         maps("tunnels", kTunnel), "ss-config", "vmess-config", map("tuic-server", kTuicServer),
         named_maps("proxy-providers", kProxyProvider), map("tun", kTun),
         map("clash-for-android", kAndroid), removed("global-client-fingerprint"));

// geodata-loader and geosite-matcher choose between memory and speed elsewhere; here a category is
// read from its file and compiled whatever they say.
constexpr auto kRuleKeys =
    keys(named_maps("rule-providers", kRuleProvider, State::built), built("geodata-mode"),
         built("geodata-loader"), built("geosite-matcher"), built("geo-auto-update"),
         built("geo-update-interval"), map("geox-url", kGeoxUrl, State::built),
         built("find-process-mode"), built("etag-support"), built("global-ua"));

constexpr auto kControllerKeys =
    keys("external-controller", "external-controller-tls", "external-controller-unix",
         "external-controller-pipe", "external-controller-routing-mark",
         map("external-controller-cors", kCors), "external-ui", "external-ui-name",
         "external-ui-url", "external-doh-server", "secret");

}  // namespace

constinit const KeyMap kTopLevel{{kGeneralKeys, kRuleKeys, kLaterKeys, kControllerKeys}};

}  // namespace sluice::model::keys
