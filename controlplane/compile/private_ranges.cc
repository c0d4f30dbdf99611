#include "controlplane/compile/private_ranges.h"

#include <span>
#include <string_view>
#include <utility>

#include "controlplane/compile/atoms.h"

namespace sluice::compile {
namespace {

using ruleset::Condition;

// Private use (RFC 1918, RFC 4193), this host, loopback, link-local and multicast: what programs
// of the field take for `lan`.
constexpr std::string_view kPrivate[] = {
    "0.0.0.0/32",  "10.0.0.0/8", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.168.0.0/16",
    "224.0.0.0/4", "::/128",     "::1/128",     "fc00::/7",       "fe80::/10",     "ff00::/8"};
constexpr std::string_view kEverything[] = {"0.0.0.0/0", "::/0"};

Condition in_any(std::span<const std::string_view> ranges, const model::Atom& atom) {
  Condition::List parts;
  for (const std::string_view text : ranges) {
    const Prefix prefix = *Prefix::parse(text);
    parts.push_back(atom.source ? Condition::source(prefix)
                                : Condition::destination(prefix, resolve_of(atom)));
  }
  return Condition::any(std::move(parts));
}

}  // namespace

bool is_private_ranges(const model::Atom& atom) noexcept {
  if (atom.kind != model::AtomKind::geoip) return false;
  const auto* country = std::get_if<std::string>(&atom.payload);
  return country != nullptr && (*country == "lan" || *country == "!lan");
}

Condition make_private_ranges(const model::Atom& atom) {
  Condition ranges = in_any(kPrivate, atom);
  if (!std::get<std::string>(atom.payload).starts_with('!')) return ranges;
  return Condition::all({has_address(atom), Condition::negate(std::move(ranges))});
}

Condition has_address(const model::Atom& atom) {
  return in_any(kEverything, atom);
}

}  // namespace sluice::compile
