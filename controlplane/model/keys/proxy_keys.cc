// Keys of `proxies` entries, by type.
#include "controlplane/model/keys/proxy_parts.h"
#include "controlplane/model/keys/types.h"

namespace sluice::model::keys {
namespace {

using contract::OutboundKind;

constexpr auto kBrutalKeys = keys("enabled", "up", "down");
constexpr KeyMap kBrutal{{kBrutalKeys}};
constexpr auto kSmuxKeys =
    keys("enabled", "protocol", "max-connections", "min-streams", "max-streams", "padding",
         "statistic", "only-tcp", map("brutal-opts", kBrutal));
constexpr KeyMap kSmux{{kSmuxKeys}};

// What every type takes. `smux` is only an optimisation: a server that offers it also serves
// without.
constexpr auto kCommon =
    keys(built("name"), built("type"), built("server"), built("port"), built("udp"),
         built("ip-version"), built("interface-name"), built("routing-mark"), "tfo", "mptcp",
         needed("dialer-proxy"), map("smux", kSmux));

constexpr auto kBuiltHttp = keys(built("username"), built("password"), "headers");
constexpr auto kBuiltSocks = keys(built("username"), built("password"));
constexpr auto kBuiltSs =
    keys(built("cipher"), built("password"), "udp-over-tcp", "udp-over-tcp-version",
         needed("plugin"), map("plugin-opts", kPluginOpts));

constexpr auto kRematch = keys(built("target-rematch-name"), built("target-sub-rule"));
constexpr auto kSsr =
    keys("cipher", "password", "obfs", "obfs-param", "protocol", "protocol-param");
constexpr auto kSnell = keys("psk", "version", "reuse", map("obfs-opts", kObfsOpts));
constexpr auto kVmess = keys("uuid", "alterId", "cipher", "network", "packet-encoding",
                             "global-padding", "authenticated-length", "packet-addr", "xudp");
constexpr auto kVless = keys("uuid", "flow", "encryption", "network", "packet-encoding",
                             "packet-addr", "xudp", "ws-headers");
constexpr auto kSsOptsKeys = keys("enabled", "method", "password");
constexpr KeyMap kSsOpts{{kSsOptsKeys}};
constexpr auto kTrojan = keys("password", "network", map("ss-opts", kSsOpts));
constexpr auto kAnytls = keys("password", "client-metadata", "idle-session-check-interval",
                              "idle-session-timeout", "min-idle-session", "disable-reuse");
constexpr auto kHysteria =
    keys("ports", "protocol", "obfs-protocol", "obfs", "auth", "auth-str", "up", "down", "up-speed",
         "down-speed", "recv-window", "recv-window-conn", "disable-mtu-discovery", "fast-open",
         "hop-interval");
constexpr auto kRealmKeys = keys("server-url", "token", "realm-id", "stun-servers");
constexpr KeyMap kRealm{{kRealmKeys}};
constexpr auto kHysteria2 =
    keys("ports", "hop-interval", "up", "down", "password", "obfs", "obfs-password",
         "obfs-min-packet-size", "obfs-max-packet-size", "cwnd", "bbr-profile", "udp-mtu",
         "handshake-timeout", "initial-stream-receive-window", "max-stream-receive-window",
         "initial-connection-receive-window", "max-connection-receive-window",
         map("realm-opts", kRealm));
constexpr auto kTuic =
    keys("token", "uuid", "password", "ip", "heartbeat-interval", "reduce-rtt", "request-timeout",
         "udp-relay-mode", "congestion-controller", "max-udp-relay-packet-size", "fast-open",
         "max-open-streams", "cwnd", "bbr-profile", "disable-sni", "udp-over-stream",
         "udp-over-stream-version", "recv-window", "recv-window-conn", "disable-mtu-discovery");
constexpr auto kShadowquic = keys("username", "password", "quic-versions", "udp-over-stream",
                                  "zero-rtt", "keep-alive-interval", "up", "down", "congestion",
                                  "congestion-controller", "recv-window-conn");
constexpr auto kIpStackKeys = keys("mode", "congestion-controller");
constexpr KeyMap kIpStack{{kIpStackKeys}};
constexpr auto kPeerKeys =
    keys("server", "port", "public-key", "pre-shared-key", "reserved", "allowed-ips");
constexpr KeyMap kPeer{{kPeerKeys}};
constexpr auto kAmneziaKeys =
    keys("version", "jc", "jmin", "jmax", "s1", "s2", "s3", "s4", "h1", "h2", "h3", "h4", "i1",
         "i2", "i3", "i4", "i5", "j1", "j2", "j3", "itime", "header-protection-key",
         "content-padding-addition", "rekey-after-time", "rekey-timeout", "reject-after-time",
         "keepalive-timeout", "max-handshake-attempts", "random-trailers", "disable-cookies");
constexpr KeyMap kAmnezia{{kAmneziaKeys}};
constexpr auto kWireguard = keys(
    "ip", "ipv6", "private-key", "public-key", "pre-shared-key", "reserved", "allowed-ips",
    maps("peers", kPeer), "mtu", "workers", "persistent-keepalive", "remote-dns-resolve", "dns",
    "refresh-server-ip-interval", map("amnezia-wg-option", kAmnezia), map("ip-stack", kIpStack));
constexpr auto kSsh = keys("username", "password", "private-key", "private-key-passphrase",
                           "host-key", "host-key-algorithms");
constexpr auto kMieru = keys("port-range", "transport", "username", "password", "multiplexing",
                             "handshake-mode", "traffic-pattern");
constexpr auto kHttpMaskKeys = keys("disable", "mode", "tls", "host", "path-root", "multiplex");
constexpr KeyMap kHttpMask{{kHttpMaskKeys}};
constexpr auto kSudoku =
    keys("key", "aead-method", "padding-min", "padding-max", "table-type", "custom-table",
         "custom-tables", "enable-pure-downlink", "multiplex", map("httpmask", kHttpMask),
         "http-mask", "http-mask-mode", "http-mask-tls", "http-mask-host", "http-mask-multiplex",
         "disable-http-mask");
constexpr auto kMasque =
    keys("private-key", "public-key", "ip", "ipv6", "uri", "sni", "mtu", "network", "congestion",
         "congestion-controller", "remote-dns-resolve", "dns", map("ip-stack", kIpStack));
constexpr auto kTrusttunnel =
    keys("username", "password", "health-check", "quic", "congestion", "congestion-controller",
         "cwnd", "bbr-profile", "max-connections", "min-streams", "max-streams");
constexpr auto kOpenvpn =
    keys("proto", "dev", "cipher", "data-ciphers", "data-ciphers-fallback", "auth", "comp-lzo",
         "ca", "cert", "key", "tls-auth", "key-direction", "tls-crypt", "tls-crypt-v2", "username",
         "password", "peer-info", "ping", "ping-restart", "mtu", "dns", map("ip-stack", kIpStack));
constexpr auto kTailscale = keys("hostname", "auth-key", "control-url", "state-dir", "ephemeral",
                                 "accept-routes", "exit-node", "exit-node-allow-lan-access");
constexpr auto kZerotier = keys("network", "state-dir", "planet", "orbit", "mtu", "physical-mtu",
                                "ports", "tcp-fallback", map("ip-stack", kIpStack));
constexpr auto kGostRelay = keys("forward", "mux", "username", "password");

constexpr KeyMap plain(std::span<const Key> own) {
  return {{kCommon, own}};
}
constexpr KeyMap over_tls(std::span<const Key> own) {
  return {{kCommon, own, kTlsSet, kSecuritySet, kTransportSet}};
}

constexpr OutboundKind kUnbuilt = OutboundKind::unbuilt;
constexpr ProxyType kProxyTypes[] = {
    {"direct", "Direct", OutboundKind::direct, {{kCommon}}},
    {"reject", "Reject", OutboundKind::reject, {{kCommon}}},
    {"http", "Http", OutboundKind::http, {{kCommon, kBuiltHttp, kTlsSet}}},
    {"socks5", "Socks5", OutboundKind::socks5, {{kCommon, kBuiltSocks, kTlsSet}}},
    {"ss",
     "Shadowsocks",
     OutboundKind::shadowsocks,
     {{kCommon, kBuiltSs, kSecuritySet, kClientHello}}},
    {"rematch", "Rematch", OutboundKind::rematch, plain(kRematch)},
    {"dns", "Dns", kUnbuilt, {{kCommon}}},
    {"ssr", "ShadowsocksR", kUnbuilt, plain(kSsr)},
    {"snell", "Snell", kUnbuilt, {{kCommon, kSnell, kSecuritySet, kClientHello}}},
    {"vmess", "Vmess", kUnbuilt, over_tls(kVmess)},
    {"vless", "Vless", kUnbuilt, over_tls(kVless)},
    {"trojan", "Trojan", kUnbuilt, over_tls(kTrojan)},
    {"anytls", "AnyTLS", kUnbuilt, over_tls(kAnytls)},
    {"hysteria", "Hysteria", kUnbuilt, over_tls(kHysteria)},
    {"hysteria2", "Hysteria2", kUnbuilt, over_tls(kHysteria2)},
    {"tuic", "Tuic", kUnbuilt, over_tls(kTuic)},
    {"shadowquic", "ShadowQuic", kUnbuilt, over_tls(kShadowquic)},
    {"wireguard", "WireGuard", kUnbuilt, plain(kWireguard)},
    {"ssh", "Ssh", kUnbuilt, plain(kSsh)},
    {"mieru", "Mieru", kUnbuilt, plain(kMieru)},
    {"sudoku", "Sudoku", kUnbuilt, plain(kSudoku)},
    {"masque", "Masque", kUnbuilt, plain(kMasque)},
    {"trusttunnel", "TrustTunnel", kUnbuilt, over_tls(kTrusttunnel)},
    {"openvpn", "OpenVPN", kUnbuilt, plain(kOpenvpn)},
    {"tailscale", "Tailscale", kUnbuilt, plain(kTailscale)},
    {"zerotier", "ZeroTier", kUnbuilt, plain(kZerotier)},
    {"gost-relay", "GostRelay", kUnbuilt, over_tls(kGostRelay)},
};

}  // namespace

std::span<const ProxyType> proxy_types() noexcept {
  return kProxyTypes;
}

}  // namespace sluice::model::keys
