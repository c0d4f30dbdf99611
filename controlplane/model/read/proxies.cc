#include <algorithm>

#include "controlplane/model/keys/types.h"
#include "controlplane/model/read/nearest.h"
#include "controlplane/model/read/readers.h"
#include "controlplane/model/read/words.h"
#include "proto/common/text.h"

namespace sluice::model {
namespace {

using contract::Cipher;
using contract::IpVersion;
using contract::OutboundKind;

constexpr std::pair<std::string_view, IpVersion> kIpVersions[] = {
    {"dual", IpVersion::dual},
    {"ipv4", IpVersion::v4_only},
    {"ipv6", IpVersion::v6_only},
    {"ipv4-prefer", IpVersion::prefer_v4},
    {"ipv6-prefer", IpVersion::prefer_v6},
};

struct CipherRow {
  std::string_view name;
  Cipher cipher = Cipher::none;  // none: known, not built yet
};
constexpr CipherRow kCiphers[] = {
    {"aes-128-gcm", Cipher::aes_128_gcm},
    {"aes-256-gcm", Cipher::aes_256_gcm},
    {"chacha20-ietf-poly1305", Cipher::chacha20_ietf_poly1305},
    {"aes-192-gcm"},
    {"aes-128-ctr"},
    {"aes-192-ctr"},
    {"aes-256-ctr"},
    {"aes-128-cfb"},
    {"aes-192-cfb"},
    {"aes-256-cfb"},
    {"xchacha20-ietf-poly1305"},
    {"chacha20"},
    {"chacha20-ietf"},
    {"xchacha20"},
    {"rc4-md5"},
    {"none"},
    {"2022-blake3-aes-128-gcm"},
    {"2022-blake3-aes-256-gcm"},
    {"2022-blake3-chacha20-poly1305"},
};

/// Marks the proxy as one whose flows are refused: half of what was asked for is never done.
void refuse(Proxy& proxy, std::string why) {
  proxy.kind = OutboundKind::unbuilt;
  proxy.why_unbuilt = std::move(why);
}

/// An address literal loses its brackets; a name takes its normal form (B011).
void read_server(const Fields& entry, Proxy& out) {
  const auto v = entry.scalar("server");
  if (!v) {
    if (!entry.has("server"))
      entry.error(entry.place(), "has no server", "write server: and port:");
    return;
  }
  std::string_view text = trim(v->text());
  if (text.starts_with('[') && text.ends_with(']')) text = text.substr(1, text.size() - 2);
  if (const auto ip = IpAddress::parse(text)) {
    out.server = ip->to_string();
  } else if (auto name = to_ascii_name(text)) {
    out.server = std::move(*name);
  } else {
    entry.error(v->place(), quote(v->text()) + " is neither a name nor an address",
                "write the server alone, its port under port:");
  }
}

void read_port(const Fields& entry, Proxy& out) {
  if (!entry.has("port")) {
    entry.error(entry.place(), "has no port", "write port: with a number from 1 to 65535");
    return;
  }
  entry.number("port", out.port, 1, 65'535);
}

void read_cipher(const Fields& entry, Proxy& out) {
  const auto v = entry.scalar("cipher");
  if (!v) {
    if (!entry.has("cipher")) entry.error(entry.place(), "has no cipher", "write cipher:");
    return;
  }
  Nearest nearest(v->text());
  for (const CipherRow& row : kCiphers) {
    nearest.offer(row.name);
    if (!iequals(row.name, v->text())) continue;
    out.cipher = row.cipher;
    if (row.cipher == Cipher::none) {
      entry.warning(v->place(), "cipher " + std::string(row.name) + " is known, not built yet",
                    "flows to this proxy are refused until it is");
      refuse(out, "cipher " + std::string(row.name));
    }
    return;
  }
  entry.error(v->place(), quote(v->text()) + " is not a cipher",
              nearest.remedy("write for example aes-128-gcm"));
}

void read_shadowsocks(const Fields& entry, Proxy& out) {
  read_cipher(entry, out);
  entry.text("password", out.password);
  if (!entry.has("password")) entry.error(entry.place(), "has no password", "write password:");
}

/// Lengths that SOCKS5 (RFC 1929) can carry; HTTP has no such bound but no user meets it.
void read_login(const Fields& entry, Proxy& out) {
  entry.text("username", out.username);
  entry.text("password", out.password);
  for (const auto& [key, text] :
       {std::pair{"username", &out.username}, {"password", &out.password}})
    if (text->size() > 255) entry.error(entry.place(key), "is longer than 255 bytes", "shorten it");
  if (out.kind == OutboundKind::http && out.username.find(':') != std::string::npos)
    entry.error(entry.place("username"), "holds a colon, which Basic authentication cannot carry",
                "choose a user name without one");
}

/// Options that are known, not built, and without which the server would not understand us.
void refuse_for_options(const Fields& entry, const keys::KeyMap& keys, Proxy& out) {
  for (const Member& member : entry.node().members) {
    const keys::Key* key = keys.find(member.key);
    if (key == nullptr || key->state != keys::State::needed || is_off(*member.value)) continue;
    refuse(out, "option " + std::string(key->name));
    return;
  }
}

void read_rematch(const Fields& entry, Proxy& out) {
  Rematch& rematch = out.rematch.emplace();
  if (entry.has("target-rematch-name")) entry.text("target-rematch-name", rematch.name.emplace());
  entry.text("target-sub-rule", rematch.sub_rule);
  rematch.sub_rule_place = entry.place("target-sub-rule");
}

void read_by_kind(const Fields& entry, Proxy& out) {
  switch (out.kind) {
    case OutboundKind::shadowsocks:
      read_server(entry, out);
      read_port(entry, out);
      read_shadowsocks(entry, out);
      break;
    case OutboundKind::socks5:
    case OutboundKind::http:
      read_server(entry, out);
      read_port(entry, out);
      read_login(entry, out);
      break;
    case OutboundKind::rematch:
      read_rematch(entry, out);
      break;
    default:  // direct, reject: nothing to reach
      break;
  }
}

void read_common(const Fields& entry, Proxy& out) {
  // As other programs have it: a proxy carries UDP only when the file says so.
  out.udp = out.kind == OutboundKind::direct || out.kind == OutboundKind::reject ||
            out.kind == OutboundKind::rematch;
  entry.flag("udp", out.udp);
  if (out.kind == OutboundKind::http) out.udp = false;
  entry.choice("ip-version", kIpVersions, out.ip_version);
  entry.device("interface-name", out.interface_name);
  entry.number("routing-mark", out.routing_mark);
}

/// What people call them elsewhere, too far from the word for `nearest`.
constexpr std::pair<std::string_view, std::string_view> kOtherNames[] = {
    {"shadowsocks", "ss"}, {"shadowsocksr", "ssr"}, {"socks", "socks5"},
    {"https", "http"},     {"hy2", "hysteria2"},    {"wg", "wireguard"}};

void read_type(Fields& entry, Proxy& out) {
  const auto type = entry.scalar("type");
  if (!type) {
    if (!entry.has("type")) entry.error(entry.place(), "has no type", "write type: ss or another");
    return;
  }
  const auto types = keys::proxy_types();
  const auto row = std::ranges::find(types, type->text(), &keys::ProxyType::name);
  if (row == types.end()) {
    Nearest nearest(type->text());
    for (const auto& known : types) nearest.offer(known.name);
    std::string remedy = nearest.remedy("write ss, socks5, http, direct or reject");
    for (const auto& [other, name] : kOtherNames)
      if (iequals(type->text(), other)) remedy = "did you mean `" + std::string(name) + "`?";
    entry.error(type->place(), quote(type->text()) + " is not a type of proxy", std::move(remedy));
    return;
  }
  out.type_name = row->api_name;
  out.kind = row->kind;
  if (row->kind == OutboundKind::unbuilt) {
    refuse(out, "type " + std::string(row->name));
    entry.warning(type->place(), std::string(row->name) + " is known, not built yet",
                  "flows to this proxy are refused until it is");
    return;
  }
  read_common(entry, out);
  read_by_kind(entry, out);
  refuse_for_options(entry, row->keys, out);
}

}  // namespace

void read_proxies(const Fields& top, std::vector<Proxy>& out, References& references) {
  for (Fields& entry : top.maps("proxies")) {
    Proxy proxy;
    proxy.at = entry.node().position();
    entry.text("name", proxy.name);
    if (proxy.name.empty()) {
      entry.error(entry.place("name"), "a proxy needs a name", "write name:");
      continue;
    }
    entry.name_owner(proxy.name);
    read_type(entry, proxy);
    references.proxies.push_back(entry.place("name"));
    out.push_back(std::move(proxy));
  }
}

}  // namespace sluice::model
