// Keys of `listeners` entries, by type, and of the legacy `tuic-server` map.
#include "controlplane/model/keys/proxy_parts.h"
#include "controlplane/model/keys/tun_keys.h"
#include "controlplane/model/keys/types.h"

namespace sluice::model::keys {

extern const KeyMap kTuicServer;

namespace {

using contract::ListenerKind;

constexpr auto kCommon = keys(built("name"), built("type"), built("listen"), built("port"),
                              built("rule"), built("proxy"), "routing-mark");

constexpr auto kUserKeys = keys(built("username"), built("password"));
constexpr KeyMap kUser{{kUserKeys}};
constexpr auto kVmessUserKeys = keys("username", "uuid", "alterId", "flow", "password");
constexpr KeyMap kVmessUser{{kVmessUserKeys}};

// Offering TLS is what these ask for: without it the port would speak plainly.
constexpr auto kTlsSetKeys = keys(needed("certificate"), needed("private-key"), "client-auth-type",
                                  "client-auth-cert", "ech-key");
constexpr auto kLimitKeys = keys("after-bytes", "bytes-per-sec", "burst-bytes-per-sec");
constexpr KeyMap kLimit{{kLimitKeys}};
constexpr auto kRealityConfigKeys =
    keys("dest", "private-key", "short-id", "server-names", "max-time-difference", "proxy",
         map("limit-fallback-upload", kLimit), map("limit-fallback-download", kLimit));
constexpr KeyMap kRealityConfig{{kRealityConfigKeys}};
constexpr auto kRealitySet = keys(map("reality-config", kRealityConfig, State::needed));

constexpr auto kHandshakeKeys = keys("dest", "proxy");
constexpr KeyMap kHandshake{{kHandshakeKeys}};
constexpr auto kShadowTlsInKeys =
    keys("enable", "version", "password", "users", map("handshake", kHandshake),
         named_maps("handshake-for-server-name", kHandshake), "strict-mode", "wildcard-sni");
constexpr KeyMap kShadowTlsIn{{kShadowTlsInKeys}};
constexpr auto kResTlsKeys =
    keys("enable", "dest", "password", "restls-script", "min-record-len", "rate-limit", "proxy");
constexpr KeyMap kResTls{{kResTlsKeys}};
constexpr auto kJlsConfigKeys =
    keys("enable", "users", "sni", "dest", "alpn", "proxy", "rate-limit");
constexpr KeyMap kJlsConfig{{kJlsConfigKeys}};
constexpr auto kBrutalKeys = keys("enabled", "up", "down");
constexpr KeyMap kBrutal{{kBrutalKeys}};
constexpr auto kMuxKeys = keys("padding", map("brutal", kBrutal));
constexpr KeyMap kMux{{kMuxKeys}};
constexpr auto kLayerSet = keys(map("shadow-tls", kShadowTlsIn), map("res-tls", kResTls),
                                map("jls-config", kJlsConfig), map("mux-option", kMux));

constexpr auto kBuiltUsers = keys(maps("users", kUser, State::built));
constexpr auto kBuiltUdpUsers = keys(maps("users", kUser, State::built), built("udp"));
constexpr auto kBuiltUdp = keys(built("udp"));

constexpr auto kTunnel = keys("network", "target");
constexpr KeyMap kKcp{{kKcptunKeys}};
constexpr auto kShadowsocks =
    keys("password", "cipher", "udp", map("kcp-tun", kKcp), "simple-obfs", "mode");
constexpr auto kSnell = keys("psk", "version", "udp", map("obfs-opts", kObfsOpts));
constexpr auto kVmess = keys(maps("users", kVmessUser), "ws-path", "grpc-service-name",
                             map("tlsmirror-config", kTlsmirror), map("mekya-config", kMekya),
                             map("mkcp-config", kMkcp));
constexpr auto kXhttpInKeys =
    keys("no-sse-header", "sc-stream-up-server-secs", "sc-max-buffered-posts");
constexpr KeyMap kXhttpIn{{kXhttpKeys, kXhttpInKeys}};
constexpr auto kVless = keys(maps("users", kVmessUser), "decryption", "ws-path",
                             map("xhttp-config", kXhttpIn), "grpc-service-name", "allow-insecure");
constexpr auto kSsOptionKeys = keys("enabled", "method", "password");
constexpr KeyMap kSsOption{{kSsOptionKeys}};
constexpr auto kTrojan = keys(maps("users", kVmessUser), "ws-path", "grpc-service-name",
                              "allow-insecure", map("ss-option", kSsOption));
constexpr auto kAnytls = keys("users", "padding-scheme", "allow-insecure");
constexpr auto kRealmInKeys = keys("server-url", "token", "realm-id", "stun-servers");
constexpr KeyMap kRealmIn{{kRealmInKeys}};
constexpr auto kHysteria2 =
    keys("users", "obfs", "obfs-password", "obfs-min-packet-size", "obfs-max-packet-size", "alpn",
         "up", "down", "ignore-client-bandwidth", "max-idle-time", "masquerade", "cwnd",
         "bbr-profile", "udp-mtu", "initial-stream-receive-window", "max-stream-receive-window",
         "initial-connection-receive-window", "max-connection-receive-window",
         map("realm-opts", kRealmIn));
constexpr auto kHysteria2Realm =
    keys("token", "max-realms", "max-realms-per-ip", "trusted-proxy-header", "realm-name-pattern");
constexpr auto kTuic =
    keys("token", "users", "alpn", "congestion-controller", "max-idle-time",
         "authentication-timeout", "max-udp-relay-packet-size", "cwnd", "bbr-profile");
constexpr auto kUpstreamKeys = keys("addr", "sni", "proxy", "rate-limit", "quic-version-probe");
constexpr KeyMap kUpstream{{kUpstreamKeys}};
constexpr auto kShadowquic =
    keys("users", map("jls-upstream", kUpstream), "alpn", "quic-versions", "zero-rtt", "congestion",
         "congestion-controller", "up", "down", "max-idle-time", "max-datagram-frame-size");
constexpr auto kMieru = keys("transport", "users", "traffic-pattern", "user-hint-is-mandatory");
constexpr auto kMaskKeys = keys("disable", "mode", "path-root");
constexpr KeyMap kMask{{kMaskKeys}};
constexpr auto kSudoku = keys("key", "aead-method", "padding-min", "padding-max", "table-type",
                              "custom-table", "custom-tables", "handshake-timeout",
                              "enable-pure-downlink", map("httpmask", kMask), "fallback");
constexpr auto kTrusttunnel =
    keys("users", "network", "congestion", "congestion-controller", "cwnd", "bbr-profile");

constexpr auto kTuicServerKeys = keys("enable", "listen");

constexpr KeyMap layered(std::span<const Key> own) {
  return {{kCommon, own, kTlsSetKeys, kRealitySet, kLayerSet}};
}

constexpr ListenerType kListenerTypes[] = {
    {"http", ListenerKind::http, {{kCommon, kBuiltUsers, kTlsSetKeys, kRealitySet}}},
    {"socks", ListenerKind::socks, {{kCommon, kBuiltUdpUsers, kTlsSetKeys, kRealitySet}}},
    {"mixed", ListenerKind::mixed, {{kCommon, kBuiltUdpUsers, kTlsSetKeys, kRealitySet}}},
    {"redir", ListenerKind::redir, {{kCommon}}},
    {"tproxy", ListenerKind::tproxy, {{kCommon, kBuiltUdp}}},
    {"tunnel", {}, {{kCommon, kTunnel}}},
    {"tun", {}, {{kCommon, kTunKeys}}},
    {"shadowsocks", {}, layered(kShadowsocks)},
    {"snell", {}, layered(kSnell)},
    {"vmess", {}, layered(kVmess)},
    {"vless", {}, layered(kVless)},
    {"trojan", {}, layered(kTrojan)},
    {"anytls", {}, layered(kAnytls)},
    {"hysteria2", {}, layered(kHysteria2)},
    {"hysteria2-realm", {}, layered(kHysteria2Realm)},
    {"tuic", {}, layered(kTuic)},
    {"shadowquic", {}, layered(kShadowquic)},
    {"mieru", {}, layered(kMieru)},
    {"sudoku", {}, layered(kSudoku)},
    {"trusttunnel", {}, layered(kTrusttunnel)},
};

}  // namespace

constinit const KeyMap kTuicServer{{kTuicServerKeys, kTuic, kTlsSetKeys}};

std::span<const ListenerType> listener_types() noexcept {
  return kListenerTypes;
}

}  // namespace sluice::model::keys
