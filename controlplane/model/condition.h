// model/condition.h - what a rule asks of a flow: a tree of AND, OR and NOT over atoms.
//
//   AND,((DOMAIN-SUFFIX,a.test),(NOT,((DST-PORT,80/443))))
//
//   all ─┬─ atom domain_suffix "a.test"
//        └─ negation ── atom dst_port {80..80, 443..443}
//
// Plain value. Depth and size are bounded by the parser (bounds.h), so walks may recurse.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "proto/common/address.h"
#include "proto/contract/flow_info.h"
#include "proto/contract/protocol.h"

namespace sluice::model {

enum class AtomKind : std::uint8_t {
  domain,
  domain_suffix,
  domain_keyword,
  domain_wildcard,
  domain_regex,
  geosite,
  ip_cidr,  ///< IP-CIDR and IP-CIDR6
  ip_suffix,
  geoip,
  ip_asn,
  dst_port,
  src_port,
  in_port,
  network,
  in_type,
  in_name,
  in_user,
  rematch_name,
  dscp,
  uid,
  src_mac,
  time,
  process_name,
  process_name_wildcard,
  process_name_regex,
  process_path,
  process_path_wildcard,
  process_path_regex,
  protocol,  ///< what the client's first bytes say that it speaks
  rule_set,
};

struct PortRange {
  std::uint16_t first = 0;
  std::uint16_t last = 0;  ///< inclusive
  friend bool operator==(const PortRange&, const PortRange&) = default;
};

/// DSCP values and user ids.
struct NumberRange {
  std::uint32_t first = 0;
  std::uint32_t last = 0;  ///< inclusive
  friend bool operator==(const NumberRange&, const NumberRange&) = default;
};

/// Addresses that end in the last `length` bits of `address`.
struct IpSuffix {
  IpAddress address;        ///< bits above the suffix are zero
  std::uint8_t length = 0;  ///< 0..32 or 0..128, counted from the lowest bit
  friend bool operator==(const IpSuffix&, const IpSuffix&) = default;
};

struct AsNumber {
  std::uint32_t value = 0;
  friend bool operator==(const AsNumber&, const AsNumber&) = default;
};

/// A hardware address in the low 48 bits, the first byte highest.
struct MacAddress {
  std::uint64_t value = 0;
  friend bool operator==(const MacAddress&, const MacAddress&) = default;
};

/// What runs a pattern. RE2 takes linear time; PCRE2 runs what RE2 cannot express, under limits.
enum class RegexEngine : std::uint8_t { re2, pcre2 };

/// Searched anywhere in the text, without regard to case. Its syntax was checked by `engine`.
struct Regex {
  std::string pattern;
  RegexEngine engine = RegexEngine::re2;
  friend bool operator==(const Regex&, const Regex&) = default;
};

/// The same hours on some weekdays. `end` <= `begin`: until that minute of the next day.
struct DayHours {
  std::uint8_t weekdays = 0;  ///< bit 0 = Sunday: the days on which the span begins
  std::uint16_t begin = 0;    ///< minute of the day, 0..1439
  std::uint16_t end = 0;      ///< minute of the day, exclusive, 1..1440
  friend bool operator==(const DayHours&, const DayHours&) = default;
};

struct TimeTable {
  std::vector<DayHours> hours;  ///< any of them
  /// "Europe/Berlin", "UTC", "+05:30"; empty: the system's. A name may be unknown to the system.
  std::string zone;
  friend bool operator==(const TimeTable&, const TimeTable&) = default;
};

/// What an atom compares with, by kind:
///   domain, domain_suffix                  std::string, a name in normal form
///   domain_keyword, domain_wildcard        std::string, lower case, A-labels
///   geosite                                std::string, lower case: category[@attribute...]
///   geoip                                  std::string, lower case: country, or "lan"
///   process_name, _path and -_wildcard     std::string as written; compared without case
///   rule_set                               std::string, the name of a provider
///   in_name, in_user, rematch_name         std::vector<std::string>, any of them
///   the others                             the type of their name
using AtomPayload =
    std::variant<std::monostate, std::string, Prefix, IpSuffix, AsNumber, std::vector<PortRange>,
                 std::vector<NumberRange>, Network, std::vector<contract::InboundType>,
                 std::vector<std::string>, std::vector<MacAddress>, TimeTable, Regex,
                 std::vector<contract::Protocol>>;

struct Atom {
  AtomKind kind = AtomKind::domain;
  bool source = false;      ///< address kinds and rule_set: compares the source (SRC-..., `src`)
  bool no_resolve = false;  ///< destination addresses: tests a known one, never asks for it
  AtomPayload payload;

  /// A flow that is known by its name only is resolved to answer this.
  [[nodiscard]] bool asks_for_address() const noexcept;
  friend bool operator==(const Atom&, const Atom&) = default;
};

struct Condition {
  enum class Op : std::uint8_t {
    always,
    never,  ///< a legal atom that no flow can meet: a range of mapped addresses
    atom,
    all,       ///< AND; one operand or more
    any,       ///< OR; one operand or more
    negation,  ///< NOT; one operand
  };

  Op op = Op::always;
  Atom atom;                        ///< op atom
  std::vector<Condition> operands;  ///< all, any, negation

  static Condition of(Atom atom);
  [[nodiscard]] bool is(AtomKind kind) const noexcept {
    return op == Op::atom && atom.kind == kind;
  }
  /// Any atom in it may have a name resolved.
  [[nodiscard]] bool may_ask_for_address() const noexcept;
  friend bool operator==(const Condition&, const Condition&) = default;
};

/// Destination or source addresses: the kinds that take `no-resolve` and `src`.
[[nodiscard]] bool takes_address_options(AtomKind kind) noexcept;

/// Calls `f(atom)` for every atom, left to right.
template <class F>
void for_each_atom(const Condition& condition, const F& f) {
  if (condition.op == Condition::Op::atom) f(condition.atom);
  for (const Condition& operand : condition.operands) for_each_atom(operand, f);
}
template <class F>
void for_each_atom(Condition& condition, const F& f) {
  if (condition.op == Condition::Op::atom) f(condition.atom);
  for (Condition& operand : condition.operands) for_each_atom(operand, f);
}

/// As the API spells it: "DomainSuffix", "SrcIPCIDR". Static storage.
[[nodiscard]] std::string_view api_name(AtomKind kind, bool source) noexcept;

}  // namespace sluice::model
