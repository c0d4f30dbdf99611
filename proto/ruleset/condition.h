// ruleset/condition.h - what a line asks of a flow: atoms, and AND, OR and NOT over them.
//
//   AND,((DOMAIN-SUFFIX,a.test),(NOT,((DST-PORT,80-90))))
//   Condition::all({Condition::domain_suffix("a.test"),
//                   Condition::negate(Condition::destination_ports({{80, 90}}))})
//
// A plain value that the Builder takes apart. Texts in the normal form that is named at each maker;
// another text makes a condition that no flow meets. Thread: one owner. Allocates.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "proto/common/address.h"
#include "proto/ruleset/key.h"
#include "proto/ruleset/op.h"

namespace sluice::ruleset {

/// First and last, both inside. first > last holds nothing.
struct PortRange {
  std::uint16_t first = 0;
  std::uint16_t last = 0;
};

/// Whether an address condition asks for an address when none is known (`no-resolve` = no).
enum class Resolve : std::uint8_t { no, yes };
/// Whose addresses and ports the entries of a set are compared with (`src` = source).
enum class Compared : std::uint8_t { destination, source };
/// Entries that stream into a Builder under one number.
struct SetId {
  std::uint32_t index = 0;
};
/// A time zone of the block.
struct ZoneId {
  std::uint16_t index = 0;
};

/// Local times from `first_minute` up to but not including `last_minute`, minutes of the day
/// 0..1440. first >= last goes over midnight and belongs to the day on which it began.
struct TimeWindow {
  std::uint8_t weekdays = 0x7f;  ///< bit 0 = Sunday ... bit 6 = Saturday
  std::uint16_t first_minute = 0;
  std::uint16_t last_minute = 1440;
  ZoneId zone;
};

struct Condition {
  using List = std::vector<Condition>;

  static Condition always();
  static Condition never();
  static Condition all(List children);  ///< AND; of nothing: always
  static Condition any(List children);  ///< OR; of nothing: never
  static Condition negate(Condition child);

  static Condition domain(std::string_view name);
  static Condition domain_suffix(std::string_view name);  ///< the name itself and all below
  static Condition domain_below(std::string_view name);   ///< only below: ".name" of domain lists
  static Condition domain_child(std::string_view name);   ///< one label below: "*.name" of those
  /// Labels with `*` for exactly one whole label, as in domain lists: "a.*.test".
  static Condition domain_labels(std::string_view pattern);
  /// Any bytes, any case.
  static Condition domain_keyword(std::string_view keyword);
  /// `*` any run, `?` any one byte.
  static Condition domain_wildcard(std::string_view pattern);
  /// Found anywhere in the name, in any case; see check_pattern() (patterns.h).
  static Condition domain_regex(std::string_view pattern);

  static Condition destination(const Prefix& prefix, Resolve resolve);
  static Condition source(const Prefix& prefix);
  /// The low `length` bits agree with those of `address`.
  static Condition destination_suffix(const IpAddress& address, unsigned length, Resolve resolve);
  static Condition source_suffix(const IpAddress& address, unsigned length);

  static Condition destination_ports(std::span<const PortRange> ranges);
  static Condition source_ports(std::span<const PortRange> ranges);
  static Condition in_ports(std::span<const PortRange> ranges);
  static Condition network(Network network);
  /// Values of contract::InboundType, 0..31; any of them.
  static Condition in_types(std::span<const std::uint8_t> types);
  /// Bits of contract::Protocol: what the client's first bytes say that it speaks.
  static Condition protocols(std::uint32_t bits);
  static Condition dscp(std::uint8_t first, std::uint8_t last);  ///< 0..63
  static Condition uid(std::uint32_t first, std::uint32_t last);
  static Condition source_mac(const MacAddress& mac);
  static Condition user(std::string_view name);
  static Condition inbound_name(std::string_view name);
  static Condition rematch_name(std::string_view name);
  static Condition time(const TimeWindow& window);

  /// Of the executable; names and paths in any case (ASCII).
  static Condition process_name(std::string_view name);
  static Condition process_path(std::string_view path);
  static Condition process_name_wildcard(std::string_view pattern);
  static Condition process_path_wildcard(std::string_view pattern);
  static Condition process_name_regex(std::string_view pattern);
  static Condition process_path_regex(std::string_view pattern);

  /// A flow that one of the set's entries holds. With Resolve::no its address entries do not ask.
  /// With Compared::source they and its ports are compared with the source, and none asks.
  static Condition in_set(SetId set, Resolve resolve, Compared side = Compared::destination);

  Op op = Op::never;
  bool resolve = false;  ///< address conditions and sets: asks when nothing is known
  Compared side = Compared::destination;  ///< sets
  std::uint8_t length = 0;                ///< address conditions: bits
  ZoneId zone;                            ///< time
  /// A range, a code, bits of inbound types, protocols or weekdays, the number of a set.
  std::uint32_t first = 0;
  std::uint32_t last = 0;  ///< of the range; time: first minute | last minute << 16
  IpAddress address;
  std::string text;
  List children;
};

}  // namespace sluice::ruleset
