#include "proto/ruleset/condition.h"

#include <algorithm>

#include "proto/common/text.h"

namespace sluice::ruleset {
namespace {

Condition leaf(Op op) {
  Condition out;
  out.op = op;
  return out;
}

Condition with_text(Op op, std::string_view text) {
  Condition out = leaf(op);
  out.text = text;
  return out;
}

Condition lower_text(Op op, std::string_view text) {
  Condition out = with_text(op, text);
  std::ranges::transform(out.text, out.text.begin(), to_lower);
  return out;
}

Condition with_range(Op op, std::uint32_t first, std::uint32_t last) {
  Condition out = leaf(op);
  out.first = first;
  out.last = last;
  return first > last ? Condition::never() : out;
}

Condition with_address(Op op, const IpAddress& address, unsigned length) {
  const unsigned most = address.is_v4() ? 32 : 128;
  if (!address.valid() || length > most) return Condition::never();
  Condition out = leaf(op);
  out.address = address;
  out.length = static_cast<std::uint8_t>(length);
  return out;
}

/// Sorted, and without overlaps, so that no port lies in two ranges.
Condition ports(Op op, std::span<const PortRange> ranges) {
  std::vector<PortRange> sorted(ranges.begin(), ranges.end());
  std::erase_if(sorted, [](const PortRange& r) { return r.first > r.last; });
  std::ranges::sort(sorted, {}, &PortRange::first);
  Condition::List out;
  for (const PortRange& r : sorted) {
    if (!out.empty() && r.first <= out.back().last + 1)
      out.back().last = std::max<std::uint32_t>(out.back().last, r.last);
    else
      out.push_back(with_range(op, r.first, r.last));
  }
  return out.size() == 1 ? std::move(out.front()) : Condition::any(std::move(out));
}

}  // namespace

Condition Condition::always() {
  return leaf(Op::always);
}
Condition Condition::never() {
  return leaf(Op::never);
}

Condition Condition::all(List list) {
  Condition out = leaf(Op::all);
  out.children = std::move(list);
  return out;
}
Condition Condition::any(List list) {
  Condition out = leaf(Op::any);
  out.children = std::move(list);
  return out;
}
Condition Condition::negate(Condition child) {
  Condition out = leaf(Op::negate);
  out.children.push_back(std::move(child));
  return out;
}

Condition Condition::domain(std::string_view name) {
  return with_text(Op::domain, name);
}
Condition Condition::domain_suffix(std::string_view name) {
  return with_text(Op::domain_suffix, name);
}
Condition Condition::domain_below(std::string_view name) {
  return with_text(Op::domain_below, name);
}
Condition Condition::domain_child(std::string_view name) {
  return with_text(Op::domain_child, name);
}
Condition Condition::domain_labels(std::string_view pattern) {
  return with_text(Op::domain_labels, pattern);
}
Condition Condition::domain_keyword(std::string_view keyword) {
  return lower_text(Op::domain_keyword, keyword);
}
Condition Condition::domain_wildcard(std::string_view pattern) {
  return lower_text(Op::domain_wildcard, pattern);
}
Condition Condition::domain_regex(std::string_view pattern) {
  return with_text(Op::domain_regex, pattern);
}

Condition Condition::destination(const Prefix& prefix, Resolve resolve) {
  Condition out = with_address(Op::destination, prefix.base, prefix.length);
  out.resolve = resolve == Resolve::yes;
  return out;
}
Condition Condition::source(const Prefix& prefix) {
  return with_address(Op::source, prefix.base, prefix.length);
}
Condition Condition::destination_suffix(const IpAddress& address, unsigned length,
                                        Resolve resolve) {
  Condition out = with_address(Op::destination_suffix, address, length);
  out.resolve = resolve == Resolve::yes;
  return out;
}
Condition Condition::source_suffix(const IpAddress& address, unsigned length) {
  return with_address(Op::source_suffix, address, length);
}

Condition Condition::destination_ports(std::span<const PortRange> ranges) {
  return ports(Op::destination_port, ranges);
}
Condition Condition::source_ports(std::span<const PortRange> ranges) {
  return ports(Op::source_port, ranges);
}
Condition Condition::in_ports(std::span<const PortRange> ranges) {
  return ports(Op::in_port, ranges);
}
Condition Condition::network(Network network) {
  return with_range(Op::network, static_cast<std::uint32_t>(network),
                    static_cast<std::uint32_t>(network));
}
Condition Condition::in_types(std::span<const std::uint8_t> types) {
  Condition out = leaf(Op::in_type);
  for (const std::uint8_t type : types)
    if (type < 32) out.first |= 1U << type;
  return out.first == 0 ? never() : out;
}
Condition Condition::protocols(std::uint32_t bits) {
  Condition out = leaf(Op::protocol);
  out.first = bits;
  return bits == 0 ? never() : out;
}
Condition Condition::dscp(std::uint8_t first, std::uint8_t last) {
  return with_range(Op::dscp, first, last);
}
Condition Condition::uid(std::uint32_t first, std::uint32_t last) {
  return with_range(Op::uid, first, last);
}
Condition Condition::source_mac(const MacAddress& mac) {
  return mac == MacAddress{} ? never() : with_text(Op::source_mac, as_text(mac));
}
Condition Condition::user(std::string_view name) {
  return with_text(Op::user, name);
}
Condition Condition::inbound_name(std::string_view name) {
  return with_text(Op::inbound_name, name);
}
Condition Condition::rematch_name(std::string_view name) {
  return with_text(Op::rematch_name, name);
}
Condition Condition::time(const TimeWindow& window) {
  if (window.first_minute > 1440 || window.last_minute > 1440) return never();
  Condition out = leaf(Op::time);
  out.first = window.weekdays & 0x7fU;
  out.last = window.first_minute | static_cast<std::uint32_t>(window.last_minute) << 16U;
  out.zone = window.zone;
  return out;
}

Condition Condition::process_name(std::string_view name) {
  return with_text(Op::process_name, name);
}
Condition Condition::process_path(std::string_view path) {
  return with_text(Op::process_path, path);
}
Condition Condition::process_name_wildcard(std::string_view pattern) {
  return with_text(Op::process_name_wildcard, pattern);
}
Condition Condition::process_path_wildcard(std::string_view pattern) {
  return with_text(Op::process_path_wildcard, pattern);
}
Condition Condition::process_name_regex(std::string_view pattern) {
  return with_text(Op::process_name_regex, pattern);
}
Condition Condition::process_path_regex(std::string_view pattern) {
  return with_text(Op::process_path_regex, pattern);
}

Condition Condition::in_set(SetId set, Resolve resolve, Compared side) {
  Condition out = leaf(Op::set);
  out.first = set.index;
  out.resolve = resolve == Resolve::yes && side == Compared::destination;
  out.side = side;
  return out;
}

}  // namespace sluice::ruleset
