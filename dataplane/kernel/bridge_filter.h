// kernel/bridge_filter.h - whether bridged packets are sent through the IP hooks.
//
// Docker loads br_netfilter and turns it on; TPROXY then breaks for clients behind a bridge of
// ours, because a packet meets prerouting while it is still bridged. Redirect is not affected.
#pragma once

#include <string>

namespace sluice::kernel {

/// True when `bridge-nf-call-iptables` or `-ip6tables` is 1. False without the module.
/// `directory` is where the two files are; the default is the kernel's.
[[nodiscard]] bool bridge_filter_active(const std::string& directory = "/proc/sys/net/bridge");

}  // namespace sluice::kernel
