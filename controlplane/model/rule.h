// model/rule.h - one line of `rules:`, typed. The order of the list is the order of matching.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "controlplane/model/diagnostic.h"
#include "proto/common/address.h"
#include "proto/contract/flow_info.h"

namespace sluice::model {

enum class RuleType : std::uint8_t {
  domain,
  domain_suffix,
  domain_keyword,
  ip_cidr,      ///< IP-CIDR and IP-CIDR6
  src_ip_cidr,  ///< also IP-CIDR with `src`
  dst_port,
  src_port,
  network,
  in_type,
  match,
};

struct PortRange {
  std::uint16_t first = 0;
  std::uint16_t last = 0;  ///< inclusive
  friend bool operator==(const PortRange&, const PortRange&) = default;
};

/// What the line compares with, by type: a name in normal form (domain, domain_suffix), lower-case
/// text (domain_keyword), a prefix, port ranges, a network, inbound types; nothing for match.
using RulePayload = std::variant<std::monostate, std::string, Prefix, std::vector<PortRange>,
                                 Network, std::vector<contract::InboundType>>;

struct Rule {
  RuleType type = RuleType::match;
  RulePayload payload;
  std::string payload_text;  ///< as written, blanks trimmed; what the API shows
  std::string target;        ///< a proxy, group or built-in name; exists
  bool no_resolve = false;   ///< ip_cidr: does not start a look-up
  std::uint32_t index = 0;   ///< position in the written list, skipped lines counted
  Position at;
  friend bool operator==(const Rule& a, const Rule& b) noexcept;
};

/// As the API spells it: "DomainSuffix". Static storage.
[[nodiscard]] std::string_view api_name(RuleType type) noexcept;

}  // namespace sluice::model
