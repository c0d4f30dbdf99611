// contract/explain.h - which rule would decide a flow, and how it was found.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "proto/common/address.h"
#include "proto/common/name.h"
#include "proto/contract/flow_info.h"
#include "proto/contract/protocol.h"

namespace sluice::contract {

struct ExplainQuery {
  Destination destination;
  Network network = Network::tcp;
  IpAddress source;  ///< invalid = 127.0.0.1
  std::uint16_t source_port = 0;
  InboundType inbound_type = InboundType::socks5;
  /// By which listener it comes: its `proxy` and its rules count, its port, and its type where
  /// `inbound_type` is none of those that it serves. Empty = one without a name.
  std::string listener;
  /// What the client's first bytes would say; absent and empty: nothing is known of them.
  std::optional<Protocol> protocol;
  std::string sniffed_host;  ///< normal form
};

struct ExplainStep {
  /// "fake address", "sniff", "source", "listener", "mode", a kind of key ("names", "addresses" …),
  /// "not compared", "condition", "rule", "resolve", "owner", "set", "rematch", "group", "refused",
  /// "more"
  std::string what;
  std::string detail;  ///< one sentence
  std::uint64_t ns = 0;
};

struct Explanation {
  std::int32_t index = -1;  ///< RuleLine::number, -1 = none
  std::string rule;
  std::string rule_payload;
  std::string rule_list;            ///< RuleLine::list
  std::vector<std::string> chains;  ///< leaf first
  std::vector<ExplainStep> steps;
};

}  // namespace sluice::contract
