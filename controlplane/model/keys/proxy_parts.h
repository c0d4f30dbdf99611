// keys/proxy_parts.h - key sets that several proxy types share: TLS, what wraps it, transports.
#pragma once

#include "controlplane/model/keys/key.h"

namespace sluice::model::keys {

/// uTLS fingerprint: also taken by types that only carry TLS inside a plugin.
inline constexpr auto kClientHello = keys("client-fingerprint");

inline constexpr auto kEchKeys = keys("enable", "config", "query-server-name");
inline constexpr KeyMap kEch{{kEchKeys}};
inline constexpr auto kTlsSet =
    keys(needed("tls"), "sni", "servername", "alpn", "skip-cert-verify", "name-cert-verify",
         "fingerprint", "certificate", "private-key", "client-fingerprint", map("ech-opts", kEch));

inline constexpr auto kRealityKeys = keys("public-key", "short-id", "support-x25519mlkem768");
inline constexpr KeyMap kReality{{kRealityKeys}};
inline constexpr auto kShadowTlsKeys = keys("password", "version");
inline constexpr KeyMap kShadowTls{{kShadowTlsKeys}};
inline constexpr auto kRestlsKeys = keys("password", "version-hint", "restls-script");
inline constexpr KeyMap kRestls{{kRestlsKeys}};
inline constexpr auto kJlsKeys = keys("username", "password");
inline constexpr KeyMap kJls{{kJlsKeys}};
inline constexpr auto kSecuritySet = keys(
    map("reality-opts", kReality, State::needed), map("shadow-tls-opts", kShadowTls, State::needed),
    map("restls-opts", kRestls, State::needed), map("jls-opts", kJls, State::needed));

inline constexpr auto kObfsOptsKeys = keys("mode", "host", "password", "version", "alpn",
                                           "version-hint", "restls-script", "username");
inline constexpr KeyMap kObfsOpts{{kObfsOptsKeys}};

/// All plugins together: obfs, v2ray, gost, shadow-tls, restls, jls, kcptun.
inline constexpr auto kPluginKeys =
    keys("mode", "host", "path", "tls", "headers", "mux", map("ech-opts", kEch), "fingerprint",
         "certificate", "private-key", "skip-cert-verify", "name-cert-verify", "v2ray-http-upgrade",
         "v2ray-http-upgrade-fast-open", "password", "version", "alpn", "version-hint",
         "restls-script", "force-tls12", "username");
inline constexpr auto kKcptunKeys = keys(
    "key", "crypt", "conn", "autoexpire", "scavengettl", "mtu", "ratelimit", "sndwnd", "rcvwnd",
    "datashard", "parityshard", "dscp", "nocomp", "acknodelay", "nodelay", "interval", "resend",
    "nc", "sockbuf", "smuxver", "smuxbuf", "framesize", "streambuf", "keepalive");
inline constexpr KeyMap kPluginOpts{{kPluginKeys, kKcptunKeys}};

inline constexpr auto kWsKeys = keys("path", "headers", "max-early-data", "early-data-header-name",
                                     "v2ray-http-upgrade", "v2ray-http-upgrade-fast-open");
inline constexpr KeyMap kWs{{kWsKeys}};
inline constexpr auto kHttpOptsKeys = keys("method", "path", "headers");
inline constexpr KeyMap kHttpOpts{{kHttpOptsKeys}};
inline constexpr auto kH2Keys = keys("host", "path");
inline constexpr KeyMap kH2{{kH2Keys}};
inline constexpr auto kGrpcKeys = keys("grpc-service-name", "grpc-user-agent", "ping-interval",
                                       "max-connections", "min-streams", "max-streams");
inline constexpr KeyMap kGrpc{{kGrpcKeys}};

inline constexpr auto kReuseKeys =
    keys("max-concurrency", "max-connections", "c-max-reuse-times", "h-max-request-times",
         "h-max-reusable-secs", "h-keep-alive-period");
inline constexpr KeyMap kReuse{{kReuseKeys}};
inline constexpr auto kDownloadKeys =
    keys("path", "host", "headers", "server", "port", map("reuse-settings", kReuse),
         map("reality-opts", kReality));
inline constexpr KeyMap kDownload{{kDownloadKeys, kTlsSet}};
inline constexpr auto kXhttpKeys = keys(
    "path", "host", "mode", "headers", "no-grpc-header", "x-padding-bytes", "x-padding-obfs-mode",
    "x-padding-key", "x-padding-header", "x-padding-placement", "x-padding-method",
    "uplink-http-method", "session-placement", "session-key", "session-table", "session-length",
    "seq-placement", "seq-key", "uplink-data-placement", "uplink-data-key", "uplink-chunk-size",
    "sc-max-each-post-bytes", "sc-min-posts-interval-ms", map("reuse-settings", kReuse),
    map("download-settings", kDownload));
inline constexpr KeyMap kXhttp{{kXhttpKeys}};

inline constexpr auto kMkcpKeys =
    keys("mtu", "tti", "uplink-capacity", "downlink-capacity", "congestion", "write-buffer",
         "read-buffer", "seed", "header");
inline constexpr KeyMap kMkcp{{kMkcpKeys}};
inline constexpr auto kMekyaKeys =
    keys("url", map("kcp", kMkcp), "h2-pool-size", "max-write-delay", "max-request-size",
         "polling-interval-initial", "max-write-size", "max-write-duration-ms",
         "max-simultaneous-write-connection", "packet-writing-buffer");
inline constexpr KeyMap kMekya{{kMekyaKeys}};

inline constexpr auto kWriteTimeKeys =
    keys("base-nanoseconds", "uniform-random-multiplier-nanoseconds");
inline constexpr KeyMap kWriteTime{{kWriteTimeKeys}};
inline constexpr auto kEnrolmentKeys = keys("primary-ingress-outbound", "primary-egress-outbound");
inline constexpr KeyMap kEnrolment{{kEnrolmentKeys}};
inline constexpr auto kNextStepKeys = keys("weight", "goto-location");
inline constexpr KeyMap kNextStep{{kNextStepKeys}};
inline constexpr auto kStepKeys = keys(
    "name", "host", "path", "method", "headers", maps("next-step", kNextStep), "connection-ready",
    "connection-recall-exit", map("wait-time", kWriteTime), "h2-do-not-wait-for-download-finish");
inline constexpr KeyMap kStep{{kStepKeys}};
inline constexpr auto kTrafficKeys = keys(maps("steps", kStep));
inline constexpr KeyMap kTraffic{{kTrafficKeys}};
inline constexpr auto kTlsmirrorKeys =
    keys("primary-key", "explicit-nonce-ciphersuites",
         map("defer-instance-derived-write-time", kWriteTime), "transport-layer-padding",
         map("connection-enrolment", kEnrolment), map("embedded-traffic-generator", kTraffic),
         "sequence-watermarking-enabled");
inline constexpr KeyMap kTlsmirror{{kTlsmirrorKeys}};

inline constexpr auto kTransportSet =
    keys(map("ws-opts", kWs), map("http-opts", kHttpOpts), map("h2-opts", kH2),
         map("grpc-opts", kGrpc), map("xhttp-opts", kXhttp), map("mkcp-opts", kMkcp),
         map("mekya-opts", kMekya), map("tlsmirror-opts", kTlsmirror));

}  // namespace sluice::model::keys
