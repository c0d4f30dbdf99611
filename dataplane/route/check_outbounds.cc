#include <unordered_map>

#include "dataplane/route/check.h"

namespace sluice::route {
namespace {

using contract::Outbound;
using contract::OutboundKind;

bool dials_a_server(OutboundKind kind) noexcept {
  return kind == OutboundKind::socks5 || kind == OutboundKind::http ||
         kind == OutboundKind::shadowsocks;
}

Check check_server(const Outbound& o, const std::string& at) {
  if (dials_a_server(o.kind)) {
    if (!is_normal_name(o.server) && !IpAddress::parse(o.server))
      return refuse(at + ".server", "is neither a name in normal form nor an address");
    if (o.port == 0) return refuse(at + ".port", "must be 1 to 65535");
    return {};
  }
  // One that is not built keeps what it was configured with; nothing dials it.
  if (o.kind == OutboundKind::unbuilt) {
    if (!is_shown_text(o.server, kMaxDisplayName_bytes))
      return refuse(at + ".server", "is too long or not valid UTF-8");
    return {};
  }
  if (!o.server.empty()) return refuse(at + ".server", "must be empty for this kind");
  if (o.port != 0) return refuse(at + ".port", "must be 0 for this kind");
  return {};
}

Check check_secrets(const Outbound& o, const std::string& at) {
  if (o.cipher > contract::Cipher::chacha20_ietf_poly1305)
    return refuse(at + ".cipher", "is not known");
  if (o.kind == OutboundKind::shadowsocks) {
    if (o.cipher == contract::Cipher::none) return refuse(at + ".cipher", "is missing");
    if (o.password.empty() || o.password.size() > kMaxPassword_bytes)
      return refuse(at + ".password", "must have 1 to 1024 bytes");
    if (!o.username.empty()) return refuse(at + ".username", "must be empty for this kind");
    return {};
  }
  if (o.cipher != contract::Cipher::none)
    return refuse(at + ".cipher", "must be none for this kind");
  if (o.username.size() > kMaxCredential_bytes)
    return refuse(at + ".username", "is longer than 255 bytes");
  if (o.password.size() > kMaxCredential_bytes)
    return refuse(at + ".password", "is longer than 255 bytes");
  return {};
}

/// Whether the block has such an entry is seen when it is open.
Check check_rematch(const Outbound& o, const std::string& at) {
  if (o.kind != OutboundKind::rematch) {
    if (o.rematch_name) return refuse(at + ".rematch_name", "must be absent for this kind");
    if (o.rematch_entry) return refuse(at + ".rematch_entry", "must be absent for this kind");
    return {};
  }
  if (!o.rematch_name && !o.rematch_entry)
    return refuse(at + ".rematch_name", "is missing, and so is rematch_entry");
  if (o.rematch_name && !is_shown_text(*o.rematch_name, kMaxDisplayName_bytes))
    return refuse(at + ".rematch_name", "must be at most 256 bytes of valid UTF-8");
  return {};
}

Check check_outbound(const Outbound& o, const std::string& at) {
  if (o.name.empty() || !is_shown_text(o.name, kMaxDisplayName_bytes))
    return refuse(at + ".name", "must be 1 to 256 bytes of valid UTF-8");
  if (o.type_name.empty() || !is_shown_text(o.type_name, kMaxDisplayName_bytes))
    return refuse(at + ".type_name", "must be 1 to 256 bytes of valid UTF-8");
  if (o.kind > OutboundKind::unbuilt) return refuse(at + ".kind", "is not known");
  if (o.ip_version > contract::IpVersion::prefer_v6)
    return refuse(at + ".ip_version", "is not known");
  if (!o.interface_name.empty() && !is_device_name(o.interface_name))
    return refuse(at + ".interface_name", "is no device name");
  if (auto wrong = check_server(o, at)) return wrong;
  if (auto wrong = check_rematch(o, at)) return wrong;
  return check_secrets(o, at);
}

Check check_built_in(const contract::Manifest& m, std::uint32_t index, OutboundKind kind,
                     std::string_view field) {
  if (index >= m.outbounds.size()) return refuse(std::string(field), "names no outbound");
  if (m.outbounds[index].kind != kind)
    return refuse(std::string(field), "names an outbound of another kind");
  return {};
}

}  // namespace

Check check_outbounds(const contract::Manifest& manifest) {
  const auto& list = manifest.outbounds;
  if (list.empty()) return refuse("outbounds", "is empty");
  if (list.size() > kMaxOutbounds) return refuse("outbounds", "has too many items");
  std::unordered_map<std::string_view, std::size_t> names;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const std::string at = place("outbounds", i);
    if (auto wrong = check_outbound(list[i], at)) return wrong;
    const auto [first, added] = names.emplace(list[i].name, i);
    if (!added) return refuse(at + ".name", "is the name of " + place("outbounds", first->second));
  }
  if (auto wrong = check_built_in(manifest, manifest.direct, OutboundKind::direct, "direct"))
    return wrong;
  if (auto wrong = check_built_in(manifest, manifest.reject, OutboundKind::reject, "reject"))
    return wrong;
  if (manifest.global >= list.size()) return refuse("global", "names no outbound");
  return {};
}

}  // namespace sluice::route
