#include "controlplane/compile/atoms.h"

#include <string>
#include <utility>

#include "controlplane/compile/private_ranges.h"
#include "controlplane/compile/set_refs.h"

namespace sluice::compile {
namespace {

using model::Atom;
using model::AtomKind;
using ruleset::Condition;

const std::string& text_of(const Atom& atom) {
  return std::get<std::string>(atom.payload);
}

/// One condition per item, any of which will do.
template <class Item, class Make>
Condition any_of(const std::vector<Item>& items, const Make& make) {
  Condition::List parts;
  parts.reserve(items.size());
  for (const Item& item : items) parts.push_back(make(item));
  return parts.size() == 1 ? std::move(parts.front()) : Condition::any(std::move(parts));
}

Condition make_name(const Atom& atom) {
  switch (atom.kind) {
    case AtomKind::domain:
      return Condition::domain(text_of(atom));
    case AtomKind::domain_suffix:
      return Condition::domain_suffix(text_of(atom));
    case AtomKind::domain_keyword:
      return Condition::domain_keyword(text_of(atom));
    case AtomKind::domain_wildcard:
      return Condition::domain_wildcard(text_of(atom));
    default:
      return Condition::domain_regex(std::get<model::Regex>(atom.payload).pattern);
  }
}

Condition make_prefix(const Atom& atom) {
  const Prefix& prefix = std::get<Prefix>(atom.payload);
  return atom.source ? Condition::source(prefix) : Condition::destination(prefix, resolve_of(atom));
}

Condition make_suffix(const Atom& atom) {
  const auto& suffix = std::get<model::IpSuffix>(atom.payload);
  return atom.source
             ? Condition::source_suffix(suffix.address, suffix.length)
             : Condition::destination_suffix(suffix.address, suffix.length, resolve_of(atom));
}

Condition make_numbers(const Atom& atom) {
  const auto& ranges = std::get<std::vector<model::NumberRange>>(atom.payload);
  return any_of(ranges, [&atom](const model::NumberRange& r) {
    if (atom.kind == AtomKind::uid) return Condition::uid(r.first, r.last);
    return Condition::dscp(static_cast<std::uint8_t>(r.first), static_cast<std::uint8_t>(r.last));
  });
}

Condition make_protocols(const Atom& atom) {
  std::uint32_t bits = 0;
  for (const auto protocol : std::get<std::vector<contract::Protocol>>(atom.payload))
    bits |= 1U << static_cast<unsigned>(protocol);
  return Condition::protocols(bits);
}

Condition make_words(const Atom& atom) {
  const auto& words = std::get<std::vector<std::string>>(atom.payload);
  return any_of(words, [&atom](const std::string& word) {
    if (atom.kind == AtomKind::in_name) return Condition::inbound_name(word);
    if (atom.kind == AtomKind::in_user) return Condition::user(word);
    return Condition::rematch_name(word);
  });
}

Condition make_hardware_addresses(const Atom& atom) {
  const auto& list = std::get<std::vector<model::MacAddress>>(atom.payload);
  return any_of(list, [](const model::MacAddress& mac) {
    ruleset::MacAddress bytes;
    for (std::size_t i = 0; i < bytes.size(); ++i)
      bytes[i] = static_cast<std::byte>(mac.value >> (8 * (bytes.size() - 1 - i)));
    return Condition::source_mac(bytes);
  });
}

Condition make_hours(const Atom& atom, Zones& zones) {
  const auto& table = std::get<model::TimeTable>(atom.payload);
  const ruleset::ZoneId zone = zones.of(table.zone);
  return any_of(table.hours, [zone](const model::DayHours& h) {
    return Condition::time({h.weekdays, h.begin, h.end, zone});
  });
}

Condition make_process(const Atom& atom) {
  switch (atom.kind) {
    case AtomKind::process_name:
      return Condition::process_name(text_of(atom));
    case AtomKind::process_name_wildcard:
      return Condition::process_name_wildcard(text_of(atom));
    case AtomKind::process_path:
      return Condition::process_path(text_of(atom));
    case AtomKind::process_path_wildcard:
      return Condition::process_path_wildcard(text_of(atom));
    case AtomKind::process_name_regex:
      return Condition::process_name_regex(std::get<model::Regex>(atom.payload).pattern);
    default:
      return Condition::process_path_regex(std::get<model::Regex>(atom.payload).pattern);
  }
}

}  // namespace

std::vector<ruleset::PortRange> ports_of(const Atom& atom) {
  std::vector<ruleset::PortRange> out;
  for (const model::PortRange& r : std::get<std::vector<model::PortRange>>(atom.payload))
    out.push_back({r.first, r.last});
  return out;
}

std::vector<std::uint8_t> inbound_types_of(const Atom& atom) {
  std::vector<std::uint8_t> out;
  for (const auto type : std::get<std::vector<contract::InboundType>>(atom.payload))
    out.push_back(static_cast<std::uint8_t>(type));
  return out;
}

bool needs_owner(model::AtomKind kind) noexcept {
  using model::AtomKind;
  switch (kind) {
    case AtomKind::uid:
    case AtomKind::process_name:
    case AtomKind::process_name_wildcard:
    case AtomKind::process_name_regex:
    case AtomKind::process_path:
    case AtomKind::process_path_wildcard:
    case AtomKind::process_path_regex:
      return true;
    default:
      return false;
  }
}

Condition make_atom(const Atom& atom, Zones& zones, Owners owners) {
  if (owners == Owners::off && needs_owner(atom.kind)) return Condition::never();
  switch (atom.kind) {
    case AtomKind::domain:
    case AtomKind::domain_suffix:
    case AtomKind::domain_keyword:
    case AtomKind::domain_wildcard:
    case AtomKind::domain_regex:
      return make_name(atom);
    case AtomKind::ip_cidr:
      return make_prefix(atom);
    case AtomKind::ip_suffix:
      return make_suffix(atom);
    case AtomKind::geoip:
      return is_private_ranges(atom) ? make_private_ranges(atom) : Condition::never();
    case AtomKind::dst_port:
      return Condition::destination_ports(ports_of(atom));
    case AtomKind::src_port:
      return Condition::source_ports(ports_of(atom));
    case AtomKind::in_port:
      return Condition::in_ports(ports_of(atom));
    case AtomKind::network:
      return Condition::network(std::get<Network>(atom.payload));
    case AtomKind::in_type:
      return Condition::in_types(inbound_types_of(atom));
    case AtomKind::in_name:
    case AtomKind::in_user:
    case AtomKind::rematch_name:
      return make_words(atom);
    case AtomKind::dscp:
    case AtomKind::uid:
      return make_numbers(atom);
    case AtomKind::protocol:
      return make_protocols(atom);
    case AtomKind::src_mac:
      return make_hardware_addresses(atom);
    case AtomKind::time:
      return make_hours(atom, zones);
    case AtomKind::process_name:
    case AtomKind::process_name_wildcard:
    case AtomKind::process_name_regex:
    case AtomKind::process_path:
    case AtomKind::process_path_wildcard:
    case AtomKind::process_path_regex:
      return make_process(atom);
    case AtomKind::geosite:
    case AtomKind::ip_asn:
    case AtomKind::rule_set:
      break;
  }
  return Condition::never();
}

}  // namespace sluice::compile
