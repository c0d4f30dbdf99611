// ruleset/op.h - the operations of conditions, in memory and in a block's programs.
#pragma once

#include <cstdint>

namespace sluice::ruleset {

/// Values are those of the format: never reused, only added to.
enum class Op : std::uint8_t {
  all = 0,
  any = 1,
  negate = 2,
  always = 3,
  never = 4,
  domain = 5,
  domain_suffix = 6,
  domain_below = 7,
  domain_child = 8,
  domain_labels = 9,
  domain_keyword = 10,
  domain_wildcard = 11,
  domain_regex = 12,
  destination = 13,
  source = 14,
  destination_suffix = 15,
  source_suffix = 16,
  destination_port = 17,
  source_port = 18,
  in_port = 19,
  network = 20,
  in_type = 21,
  dscp = 22,
  uid = 23,
  source_mac = 24,
  user = 25,
  inbound_name = 26,
  rematch_name = 27,
  time = 28,
  process_name = 29,
  process_path = 30,
  process_name_wildcard = 31,
  process_path_wildcard = 32,
  process_name_regex = 33,
  process_path_regex = 34,
  set = 35,
  protocol = 36,
};
inline constexpr std::uint8_t kOpCount = 37;

/// AND, OR and NOT over three values: min, max and 2 - x.
enum class Truth : std::uint8_t { no = 0, unknown = 1, yes = 2 };

}  // namespace sluice::ruleset
