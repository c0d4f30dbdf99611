// keys/tun_keys.h - keys of the map `tun`, which a listener of type tun takes as well.
#pragma once

#include "controlplane/model/keys/key.h"

namespace sluice::model::keys {

inline constexpr auto kTunKeys = keys(
    "enable", "device", "stack", "mtu", "gso", "gso-max-size", "file-descriptor", "auto-route",
    "auto-detect-interface", "auto-redirect", "strict-route", "dns-hijack", "inet4-address",
    "inet6-address", "loopback-address", "iproute2-table-index", "iproute2-rule-index",
    "auto-redirect-input-mark", "auto-redirect-output-mark",
    "auto-redirect-iproute2-fallback-rule-index", "route-address", "route-address-set",
    "route-exclude-address", "route-exclude-address-set", "inet4-route-address",
    "inet6-route-address", "inet4-route-exclude-address", "inet6-route-exclude-address",
    "include-interface", "exclude-interface", "include-uid", "include-uid-range", "exclude-uid",
    "exclude-uid-range", "include-mac-address", "exclude-mac-address", "include-package",
    "exclude-package", "include-android-user", "exclude-src-port", "exclude-src-port-range",
    "exclude-dst-port", "exclude-dst-port-range", "endpoint-independent-nat", "udp-timeout",
    "icmp-timeout", "disable-icmp-forwarding", "recvmsgx", "sendmsgx");

}  // namespace sluice::model::keys
