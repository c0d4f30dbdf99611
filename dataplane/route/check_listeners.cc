#include <map>
#include <unordered_map>

#include "dataplane/route/check.h"

namespace sluice::route {
namespace {

using contract::Listener;
using contract::ListenerKind;

Check check_prefixes(const std::vector<Prefix>& list, const std::string& at) {
  if (list.size() > kMaxPrefixes) return refuse(at, "has too many items");
  for (std::size_t i = 0; i < list.size(); ++i)
    if (!is_prefix(list[i])) return refuse(place(at, i), "is no prefix");
  return {};
}

Check check_users(const Listener& l, const std::string& at) {
  if (l.users.size() > kMaxUsers) return refuse(at, "has too many items");
  for (std::size_t i = 0; i < l.users.size(); ++i) {
    const contract::User& user = l.users[i];
    if (user.name.empty() || user.name.size() > kMaxCredential_bytes)
      return refuse(place(at, i) + ".name", "must have 1 to 255 bytes");
    if (user.password.size() > kMaxCredential_bytes)
      return refuse(place(at, i) + ".password", "is longer than 255 bytes");
  }
  if (!l.users.empty() && (l.kind == ListenerKind::redir || l.kind == ListenerKind::tproxy))
    return refuse(at, "must be empty for a transparent listener");
  return {};
}

Check check_listener(const Listener& l, const std::string& at, std::size_t outbound_count) {
  if (l.name.empty() || !is_shown_text(l.name, kMaxDisplayName_bytes))
    return refuse(at + ".name", "must be 1 to 256 bytes of valid UTF-8");
  if (l.kind > ListenerKind::tproxy) return refuse(at + ".kind", "is not known");
  if (!l.address.valid()) return refuse(at + ".address", "is no address");
  if (l.address.is_multicast()) return refuse(at + ".address", "is a multicast address");
  if (l.port == 0) return refuse(at + ".port", "must be 1 to 65535");
  if (l.outbound && *l.outbound >= outbound_count)
    return refuse(at + ".outbound", "names no outbound");
  if (auto wrong = check_users(l, at + ".users")) return wrong;
  if (auto wrong = check_prefixes(l.skip_auth, at + ".skip_auth")) return wrong;
  if (auto wrong = check_prefixes(l.allowed_sources, at + ".allowed_sources")) return wrong;
  return check_prefixes(l.denied_sources, at + ".denied_sources");
}

/// True when one socket would shut out the other: v6 unspecified takes both families.
bool collide(const IpAddress& a, const IpAddress& b) noexcept {
  if (a == b) return true;
  const auto takes = [](const IpAddress& wide, const IpAddress& other) {
    return wide.is_unspecified() && (wide.is_v6() || other.is_v4());
  };
  return takes(a, b) || takes(b, a);
}

}  // namespace

Check check_listeners(const contract::Manifest& manifest) {
  const auto& list = manifest.listeners;
  if (list.size() > kMaxListeners) return refuse("listeners", "has too many items");
  std::unordered_map<std::string_view, std::size_t> names;
  std::multimap<std::uint16_t, std::size_t> ports;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const std::string at = place("listeners", i);
    if (auto wrong = check_listener(list[i], at, manifest.outbounds.size())) return wrong;
    const auto [first, added] = names.emplace(list[i].name, i);
    if (!added) return refuse(at + ".name", "is the name of " + place("listeners", first->second));
    const auto [begin, end] = ports.equal_range(list[i].port);
    for (auto other = begin; other != end; ++other)
      if (collide(list[other->second].address, list[i].address))
        return refuse(at + ".port", "is taken by " + place("listeners", other->second));
    ports.emplace(list[i].port, i);
  }
  return {};
}

}  // namespace sluice::route
