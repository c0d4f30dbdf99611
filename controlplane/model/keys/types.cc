#include "controlplane/model/keys/types.h"

namespace sluice::model::keys {
namespace {

using contract::InboundType;

constexpr GroupType kGroupTypes[] = {
    {"select", "Selector", State::built},   {"url-test", "URLTest", State::later},
    {"fallback", "Fallback", State::later}, {"load-balance", "LoadBalance", State::later},
    {"smart", "Smart", State::later},       {"relay", "Relay", State::removed},
};

// "SOCKS" stands for SOCKS4 and SOCKS5: two rows of one name.
constexpr InType kInTypes[] = {
    {"HTTP", InboundType::http},
    {"HTTPS", InboundType::https},
    {"SOCKS", InboundType::socks4},
    {"SOCKS", InboundType::socks5},
    {"SOCKS4", InboundType::socks4},
    {"SOCKS5", InboundType::socks5},
    {"REDIR", InboundType::redir},
    {"TPROXY", InboundType::tproxy},
    {"INNER", InboundType::inner},
    {"SHADOWSOCKS", {}},
    {"SNELL", {}},
    {"VMESS", {}},
    {"VLESS", {}},
    {"TROJAN", {}},
    {"TUNNEL", {}},
    {"TUN", {}},
    {"TUIC", {}},
    {"HYSTERIA2", {}},
    {"ANYTLS", {}},
    {"MIERU", {}},
    {"SUDOKU", {}},
    {"TRUSTTUNNEL", {}},
    {"SHADOWQUIC", {}},
};

}  // namespace

std::span<const GroupType> group_types() noexcept {
  return kGroupTypes;
}
std::span<const InType> in_types() noexcept {
  return kInTypes;
}

}  // namespace sluice::model::keys
