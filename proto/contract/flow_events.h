// contract/flow_events.h - what changed in the flow table since the last look.
//
//   reset + flows        the whole table (a large one comes in several messages)
//   flows                new, or changed in more than bytes
//   progress             known flows that moved bytes
//   closed               final state; may name a flow that was never shown
#pragma once

#include <cstdint>
#include <vector>

#include "proto/contract/flow_info.h"

namespace sluice::contract {

struct FlowProgress {
  std::uint64_t id = 0;
  std::uint64_t upload = 0;            ///< bytes, total
  std::uint64_t download = 0;          ///< bytes, total
  std::uint64_t upload_packets = 0;    ///< datagrams, total
  std::uint64_t download_packets = 0;  ///< datagrams, total
  friend bool operator==(const FlowProgress&, const FlowProgress&) = default;
};

struct FlowEvents {
  bool reset = false;  ///< forget everything first
  std::vector<FlowInfo> flows;
  std::vector<FlowProgress> progress;
  std::vector<FlowInfo> closed;
  std::uint64_t lost = 0;  ///< closed flows that found no room since the last message
};

}  // namespace sluice::contract
