// support/rule_lines.h - rule lines as plain data, the obvious way to match them, and seeded random
// ones. The obvious way walks the list from the top; the indexes must agree with it exactly.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "proto/ruleset/builder.h"
#include "proto/ruleset/match.h"

namespace sluice::test {

struct Line {
  enum class Kind : std::uint8_t {
    domain,
    suffix,
    keyword,
    destination,
    source,
    destination_port,
    source_port,
    network,
    in_type,
    always,
    never,
  };
  Kind kind = Kind::never;
  std::string text;
  Prefix prefix;
  bool resolve = false;
  std::vector<ruleset::PortRange> ports;
  Network net = Network::tcp;
  std::vector<std::uint8_t> types;
};

inline void add(ruleset::Builder& out, const Line& line) {
  using Kind = Line::Kind;
  switch (line.kind) {
    case Kind::domain:
      out.domain(line.text);
      break;
    case Kind::suffix:
      out.domain_suffix(line.text);
      break;
    case Kind::keyword:
      out.domain_keyword(line.text);
      break;
    case Kind::destination:
      out.destination(line.prefix, line.resolve ? ruleset::Resolve::yes : ruleset::Resolve::no);
      break;
    case Kind::source:
      out.source(line.prefix);
      break;
    case Kind::destination_port:
      out.destination_ports(line.ports);
      break;
    case Kind::source_port:
      out.source_ports(line.ports);
      break;
    case Kind::network:
      out.network(line.net);
      break;
    case Kind::in_type:
      out.in_types(line.types);
      break;
    case Kind::always:
      out.always();
      break;
    case Kind::never:
      out.never();
      break;
  }
}

inline std::vector<std::byte> compile(const std::vector<Line>& lines) {
  ruleset::Builder out;
  for (const Line& line : lines) add(out, line);
  return *out.finish();
}

/// One line against a flow whose address is `address` (invalid = not known).
inline bool matches(const Line& line, const ruleset::Key& key, const IpAddress& address) {
  using Kind = Line::Kind;
  const auto in = [](const std::vector<ruleset::PortRange>& ranges, std::uint16_t port) {
    return std::ranges::any_of(
        ranges, [port](const ruleset::PortRange& r) { return r.first <= port && port <= r.last; });
  };
  switch (line.kind) {
    case Kind::domain:
      return !key.name.empty() && key.name == line.text;
    case Kind::suffix:
      return key.name == line.text || key.name.ends_with("." + line.text);
    case Kind::keyword:
      return !key.name.empty() && key.name.find(line.text) != key.name.npos;
    case Kind::destination:
      return address.valid() && line.prefix.contains(address);
    case Kind::source:
      return key.source.valid() && line.prefix.contains(key.source);
    case Kind::destination_port:
      return in(line.ports, key.destination_port);
    case Kind::source_port:
      return in(line.ports, key.source_port);
    case Kind::network:
      return key.network == line.net;
    case Kind::in_type:
      return std::ranges::count(line.types, key.in_type) > 0;
    case Kind::always:
      return true;
    case Kind::never:
      return false;
  }
  return false;
}

/// All lines that match, in order; an address line that needs one takes `resolved` from then on.
/// `lookups` counts how often an address was needed.
inline std::vector<std::uint32_t> walk(const std::vector<Line>& lines, const ruleset::Key& key,
                                       const IpAddress& resolved, int& lookups) {
  std::vector<std::uint32_t> out;
  IpAddress address = key.destination;
  bool can_ask = !address.valid() && !key.name.empty();
  for (std::uint32_t i = 0; i < lines.size(); ++i) {
    const Line& line = lines[i];
    if (line.kind == Line::Kind::destination && line.resolve && can_ask) {
      can_ask = false;
      ++lookups;
      address = resolved;
    }
    if (matches(line, key, address)) out.push_back(i);
  }
  return out;
}

/// SplitMix64: the same series on every machine.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15ULL);
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31U);
  }
  std::uint32_t below(std::uint32_t bound) { return static_cast<std::uint32_t>(next() % bound); }
  bool one_in(std::uint32_t n) { return below(n) == 0; }

 private:
  std::uint64_t state_;
};

/// A name from a small alphabet, so that names, suffixes and keywords of one seed meet often.
inline std::string random_name(Random& random, std::uint32_t max_labels = 4) {
  static const char* const labels[] = {
      "a", "b", "ab", "abc", "test", "shop-example", "xn--bcher-kva", "a_b", "longer-than-a-word",
      "x"};
  std::string out;
  for (std::uint32_t i = 1 + random.below(max_labels); i > 0; --i) {
    if (!out.empty()) out += '.';
    out += labels[random.below(std::size(labels))];
  }
  return out;
}

/// Few distinct bytes, so that prefixes nest and addresses fall on their edges.
inline IpAddress random_address(Random& random) {
  static const std::uint8_t bytes[] = {0x00, 0x01, 0x7f, 0x80, 0xfe, 0xff, 0x0a};
  std::array<std::byte, 16> raw{};
  const bool v6 = random.one_in(3);
  for (std::size_t i = 0; i < (v6 ? 16U : 4U); ++i)
    raw[i] = static_cast<std::byte>(bytes[random.below(std::size(bytes))]);
  return IpAddress::from_bytes(ByteView(raw).first(v6 ? 16 : 4));
}

inline Prefix random_prefix(Random& random) {
  const IpAddress base = random_address(random);
  return Prefix::of(base, random.below(base.is_v4() ? 33 : 129));
}

inline std::vector<ruleset::PortRange> random_ports(Random& random) {
  std::vector<ruleset::PortRange> out;
  for (std::uint32_t i = 1 + random.below(3); i > 0; --i) {
    const auto first =
        static_cast<std::uint16_t>(random.one_in(4) ? random.below(65536) : 70 + random.below(40));
    const auto room = static_cast<std::uint32_t>(65536 - first);
    const std::uint32_t span =
        random.one_in(4) ? random.below(room) : random.below(std::min(room, 9U));
    out.push_back({first, static_cast<std::uint16_t>(first + span)});
  }
  return out;
}

inline Line random_line(Random& random) {
  Line line;
  line.kind = static_cast<Line::Kind>(random.below(11));
  // Broad lines hide what stands behind them: keep them rare.
  if (line.kind >= Line::Kind::network && !random.one_in(6)) line.kind = Line::Kind::suffix;
  line.text = line.kind == Line::Kind::keyword && random.one_in(2)
                  ? random_name(random, 1).substr(0, 1 + random.below(3))
                  : random_name(random);
  line.prefix = random_prefix(random);
  line.resolve = random.one_in(3);
  line.ports = random_ports(random);
  line.net = random.one_in(2) ? Network::udp : Network::tcp;
  line.types = {static_cast<std::uint8_t>(random.below(7)),
                static_cast<std::uint8_t>(random.below(7))};
  return line;
}

/// `name` keeps the text that the key views.
inline ruleset::Key random_key(Random& random, std::string& name) {
  name = random.one_in(4) ? std::string() : random_name(random, 5);
  ruleset::Key key;
  key.name = name;
  if (name.empty() || random.one_in(4)) key.destination = random_address(random);
  if (!random.one_in(10)) key.source = random_address(random);
  key.destination_port =
      static_cast<std::uint16_t>(random.one_in(4) ? random.below(65536) : 70 + random.below(40));
  key.source_port =
      static_cast<std::uint16_t>(random.one_in(4) ? random.below(65536) : 70 + random.below(40));
  key.network = random.one_in(2) ? Network::udp : Network::tcp;
  key.in_type = static_cast<std::uint8_t>(random.below(7));
  return key;
}

}  // namespace sluice::test
