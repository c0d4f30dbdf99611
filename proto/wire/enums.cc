#include "proto/wire/enums.h"

#include <iterator>

namespace sluice::wire {
namespace {

template <class Plain, class Wire>
struct Pair {
  Plain plain;
  Wire wire;
};

constexpr Pair<Network, v1::Network> kNetworks[] = {
    {Network::tcp, v1::NETWORK_TCP},
    {Network::udp, v1::NETWORK_UDP},
};
constexpr Pair<contract::Mode, v1::Mode> kModes[] = {
    {contract::Mode::rule, v1::MODE_RULE},
    {contract::Mode::global, v1::MODE_GLOBAL},
    {contract::Mode::direct, v1::MODE_DIRECT},
};
constexpr Pair<contract::OutboundKind, v1::OutboundKind> kOutboundKinds[] = {
    {contract::OutboundKind::direct, v1::OUTBOUND_KIND_DIRECT},
    {contract::OutboundKind::reject, v1::OUTBOUND_KIND_REJECT},
    {contract::OutboundKind::reject_drop, v1::OUTBOUND_KIND_REJECT_DROP},
    {contract::OutboundKind::pass, v1::OUTBOUND_KIND_PASS},
    {contract::OutboundKind::pass_rule, v1::OUTBOUND_KIND_PASS_RULE},
    {contract::OutboundKind::rematch, v1::OUTBOUND_KIND_REMATCH},
    {contract::OutboundKind::socks5, v1::OUTBOUND_KIND_SOCKS5},
    {contract::OutboundKind::http, v1::OUTBOUND_KIND_HTTP},
    {contract::OutboundKind::shadowsocks, v1::OUTBOUND_KIND_SHADOWSOCKS},
    {contract::OutboundKind::select, v1::OUTBOUND_KIND_SELECT},
    {contract::OutboundKind::unbuilt, v1::OUTBOUND_KIND_UNBUILT},
};
constexpr Pair<contract::IpVersion, v1::IpVersion> kIpVersions[] = {
    {contract::IpVersion::dual, v1::IP_VERSION_DUAL},
    {contract::IpVersion::v4_only, v1::IP_VERSION_V4_ONLY},
    {contract::IpVersion::v6_only, v1::IP_VERSION_V6_ONLY},
    {contract::IpVersion::prefer_v4, v1::IP_VERSION_PREFER_V4},
    {contract::IpVersion::prefer_v6, v1::IP_VERSION_PREFER_V6},
};
constexpr Pair<contract::Cipher, v1::Cipher> kCiphers[] = {
    {contract::Cipher::none, v1::CIPHER_UNSPECIFIED},
    {contract::Cipher::aes_128_gcm, v1::CIPHER_AES_128_GCM},
    {contract::Cipher::aes_256_gcm, v1::CIPHER_AES_256_GCM},
    {contract::Cipher::chacha20_ietf_poly1305, v1::CIPHER_CHACHA20_IETF_POLY1305},
};
constexpr Pair<contract::ListenerKind, v1::ListenerKind> kListenerKinds[] = {
    {contract::ListenerKind::http, v1::LISTENER_KIND_HTTP},
    {contract::ListenerKind::socks, v1::LISTENER_KIND_SOCKS},
    {contract::ListenerKind::mixed, v1::LISTENER_KIND_MIXED},
    {contract::ListenerKind::redir, v1::LISTENER_KIND_REDIR},
    {contract::ListenerKind::tproxy, v1::LISTENER_KIND_TPROXY},
};
constexpr Pair<contract::CaptureMode, v1::CaptureMode> kCaptureModes[] = {
    {contract::CaptureMode::tproxy, v1::CAPTURE_MODE_TPROXY},
    {contract::CaptureMode::redirect, v1::CAPTURE_MODE_REDIRECT},
};
constexpr Pair<contract::RemovedFlows, v1::RemovedFlows> kRemovedFlows[] = {
    {contract::RemovedFlows::keep, v1::REMOVED_FLOWS_KEEP},
    {contract::RemovedFlows::close, v1::REMOVED_FLOWS_CLOSE},
};
constexpr Pair<contract::NamePurpose, v1::NamePurpose> kPurposes[] = {
    {contract::NamePurpose::rule, v1::NAME_PURPOSE_RULE},
    {contract::NamePurpose::direct, v1::NAME_PURPOSE_DIRECT},
    {contract::NamePurpose::proxy_server, v1::NAME_PURPOSE_PROXY_SERVER},
    {contract::NamePurpose::bootstrap, v1::NAME_PURPOSE_BOOTSTRAP},
};
constexpr Pair<contract::InboundType, v1::InboundType> kInboundTypes[] = {
    {contract::InboundType::http, v1::INBOUND_TYPE_HTTP},
    {contract::InboundType::https, v1::INBOUND_TYPE_HTTPS},
    {contract::InboundType::socks4, v1::INBOUND_TYPE_SOCKS4},
    {contract::InboundType::socks5, v1::INBOUND_TYPE_SOCKS5},
    {contract::InboundType::redir, v1::INBOUND_TYPE_REDIR},
    {contract::InboundType::tproxy, v1::INBOUND_TYPE_TPROXY},
    {contract::InboundType::inner, v1::INBOUND_TYPE_INNER},
};
constexpr Pair<contract::DnsMode, v1::DnsMode> kDnsModes[] = {
    {contract::DnsMode::normal, v1::DNS_MODE_NORMAL},
    {contract::DnsMode::fake_ip, v1::DNS_MODE_FAKE_IP},
    {contract::DnsMode::mapping, v1::DNS_MODE_MAPPING},
    {contract::DnsMode::hosts, v1::DNS_MODE_HOSTS},
};
constexpr Pair<contract::FlowState, v1::FlowState> kFlowStates[] = {
    {contract::FlowState::connecting, v1::FLOW_STATE_CONNECTING},
    {contract::FlowState::open, v1::FLOW_STATE_OPEN},
    {contract::FlowState::half_closed, v1::FLOW_STATE_HALF_CLOSED},
    {contract::FlowState::closed, v1::FLOW_STATE_CLOSED},
};
constexpr Pair<contract::Protocol, v1::Protocol> kProtocols[] = {
    {contract::Protocol::none, v1::PROTOCOL_UNSPECIFIED},
    {contract::Protocol::tls, v1::PROTOCOL_TLS},
    {contract::Protocol::http, v1::PROTOCOL_HTTP},
    {contract::Protocol::quic, v1::PROTOCOL_QUIC},
    {contract::Protocol::dtls, v1::PROTOCOL_DTLS},
    {contract::Protocol::stun, v1::PROTOCOL_STUN},
    {contract::Protocol::bittorrent, v1::PROTOCOL_BITTORRENT},
};
constexpr Pair<contract::CloseReason, v1::CloseReason> kCloseReasons[] = {
    {contract::CloseReason::none, v1::CLOSE_REASON_NONE},
    {contract::CloseReason::client_closed, v1::CLOSE_REASON_CLIENT_CLOSED},
    {contract::CloseReason::upstream_closed, v1::CLOSE_REASON_UPSTREAM_CLOSED},
    {contract::CloseReason::reset_by_client, v1::CLOSE_REASON_RESET_BY_CLIENT},
    {contract::CloseReason::reset_by_upstream, v1::CLOSE_REASON_RESET_BY_UPSTREAM},
    {contract::CloseReason::timeout, v1::CLOSE_REASON_TIMEOUT},
    {contract::CloseReason::refused, v1::CLOSE_REASON_REFUSED},
    {contract::CloseReason::not_built, v1::CLOSE_REASON_NOT_BUILT},
    {contract::CloseReason::no_name, v1::CLOSE_REASON_NO_NAME},
    {contract::CloseReason::connect_failed, v1::CLOSE_REASON_CONNECT_FAILED},
    {contract::CloseReason::protocol_error, v1::CLOSE_REASON_PROTOCOL_ERROR},
    {contract::CloseReason::closed_by_user, v1::CLOSE_REASON_CLOSED_BY_USER},
    {contract::CloseReason::outbound_removed, v1::CLOSE_REASON_OUTBOUND_REMOVED},
    {contract::CloseReason::address_lost, v1::CLOSE_REASON_ADDRESS_LOST},
    {contract::CloseReason::memory, v1::CLOSE_REASON_MEMORY},
    {contract::CloseReason::stopped, v1::CLOSE_REASON_STOPPED},
    {contract::CloseReason::failed, v1::CLOSE_REASON_FAILED},
};
static_assert(std::size(kCloseReasons) == contract::kCloseReasons);
constexpr Pair<contract::WhenFull, v1::WhenFull> kWhenFull[] = {
    {contract::WhenFull::grows, v1::WHEN_FULL_GROWS},
    {contract::WhenFull::waits, v1::WHEN_FULL_WAITS},
    {contract::WhenFull::evicts, v1::WHEN_FULL_EVICTS},
    {contract::WhenFull::refuses, v1::WHEN_FULL_REFUSES},
    {contract::WhenFull::merges, v1::WHEN_FULL_MERGES},
};
constexpr Pair<contract::CaptureState, v1::CaptureState> kCaptureStates[] = {
    {contract::CaptureState::off, v1::CAPTURE_STATE_OFF},
    {contract::CaptureState::on, v1::CAPTURE_STATE_ON},
    {contract::CaptureState::failed, v1::CAPTURE_STATE_FAILED},
};
constexpr Pair<LogLevel, v1::LogLevel> kLogLevels[] = {
    {LogLevel::debug, v1::LOG_LEVEL_DEBUG},
    {LogLevel::info, v1::LOG_LEVEL_INFO},
    {LogLevel::warning, v1::LOG_LEVEL_WARNING},
    {LogLevel::error, v1::LOG_LEVEL_ERROR},
};
// The first pair of a code is what it becomes; the first pair of a number is what it reads as.
constexpr Pair<Errc, v1::NameError> kNameErrors[] = {
    {Errc::none, v1::NAME_ERROR_NONE},
    {Errc::no_address, v1::NAME_ERROR_NO_ADDRESS},
    {Errc::not_found, v1::NAME_ERROR_NO_ADDRESS},
    {Errc::timeout, v1::NAME_ERROR_TIMEOUT},
    {Errc::loop, v1::NAME_ERROR_LOOP},
    {Errc::refused, v1::NAME_ERROR_REFUSED},
    {Errc::denied, v1::NAME_ERROR_REFUSED},
    {Errc::unreachable, v1::NAME_ERROR_UNREACHABLE},
    {Errc::closed, v1::NAME_ERROR_UNREACHABLE},
    {Errc::reset, v1::NAME_ERROR_UNREACHABLE},
    {Errc::invalid, v1::NAME_ERROR_INVALID},
    {Errc::malformed, v1::NAME_ERROR_INVALID},
    {Errc::no_room, v1::NAME_ERROR_BUSY},
    {Errc::cancelled, v1::NAME_ERROR_CANCELLED},
    {Errc::system, v1::NAME_ERROR_FAILED},
};

template <class Plain, class Wire, std::size_t N>
Wire wire_of(const Pair<Plain, Wire> (&pairs)[N], Plain value, Wire otherwise) noexcept {
  for (const auto& pair : pairs)
    if (pair.plain == value) return pair.wire;
  return otherwise;
}

template <class Plain, class Wire, std::size_t N>
void plain_of(const Pair<Plain, Wire> (&pairs)[N], const Scope& at, const char* field, Wire in,
              Plain& out) {
  for (const auto& pair : pairs) {
    if (pair.wire != in) continue;
    out = pair.plain;
    return;
  }
  at.refuse(field, in == Wire{} ? "is not set" : "has a value that is not known here");
}

}  // namespace

// Types cannot stand in parentheses.
// NOLINTBEGIN(bugprone-macro-parentheses)
#define SLUICE_WIRE_ENUM(Plain, Wire, pairs)                                \
  Wire to_wire(Plain value) noexcept {                                      \
    return wire_of((pairs), value, Wire{});                                 \
  }                                                                         \
  void from_wire(const Scope& at, const char* field, Wire in, Plain& out) { \
    plain_of((pairs), at, field, in, out);                                  \
  }                                                                         \
  static_assert(true)
// NOLINTEND(bugprone-macro-parentheses)

SLUICE_WIRE_ENUM(Network, v1::Network, kNetworks);
SLUICE_WIRE_ENUM(contract::Mode, v1::Mode, kModes);
SLUICE_WIRE_ENUM(contract::OutboundKind, v1::OutboundKind, kOutboundKinds);
SLUICE_WIRE_ENUM(contract::IpVersion, v1::IpVersion, kIpVersions);
SLUICE_WIRE_ENUM(contract::Cipher, v1::Cipher, kCiphers);
SLUICE_WIRE_ENUM(contract::ListenerKind, v1::ListenerKind, kListenerKinds);
SLUICE_WIRE_ENUM(contract::CaptureMode, v1::CaptureMode, kCaptureModes);
SLUICE_WIRE_ENUM(contract::RemovedFlows, v1::RemovedFlows, kRemovedFlows);
SLUICE_WIRE_ENUM(contract::NamePurpose, v1::NamePurpose, kPurposes);
SLUICE_WIRE_ENUM(contract::InboundType, v1::InboundType, kInboundTypes);
SLUICE_WIRE_ENUM(contract::DnsMode, v1::DnsMode, kDnsModes);
SLUICE_WIRE_ENUM(contract::FlowState, v1::FlowState, kFlowStates);
SLUICE_WIRE_ENUM(contract::Protocol, v1::Protocol, kProtocols);
SLUICE_WIRE_ENUM(contract::CaptureState, v1::CaptureState, kCaptureStates);
SLUICE_WIRE_ENUM(LogLevel, v1::LogLevel, kLogLevels);
#undef SLUICE_WIRE_ENUM

v1::CloseReason to_wire(contract::CloseReason value) noexcept {
  return wire_of(kCloseReasons, value, v1::CLOSE_REASON_FAILED);
}

contract::CloseReason close_reason_from_wire(v1::CloseReason value) noexcept {
  for (const auto& pair : kCloseReasons)
    if (pair.wire == value) return pair.plain;
  return contract::CloseReason::failed;
}

v1::WhenFull to_wire(contract::WhenFull value) noexcept {
  return wire_of(kWhenFull, value, v1::WHEN_FULL_GROWS);
}

contract::WhenFull when_full_from_wire(v1::WhenFull value) noexcept {
  for (const auto& pair : kWhenFull)
    if (pair.wire == value) return pair.plain;
  return contract::WhenFull::grows;
}

v1::NameError name_error_to_wire(Errc code) noexcept {
  return wire_of(kNameErrors, code, v1::NAME_ERROR_FAILED);
}

Errc name_error_from_wire(v1::NameError value) noexcept {
  for (const auto& pair : kNameErrors)
    if (pair.wire == value) return pair.plain;
  return Errc::system;
}

}  // namespace sluice::wire
