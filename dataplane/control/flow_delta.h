// control/flow_delta.h - what one watcher has seen of the flow table, and what is new to it.
//
// Pure state: no gRPC, no clock. One per watcher; 40 bytes a flow. Thread: the control thread.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "proto/contract/flow_events.h"

namespace sluice::control {

class FlowDelta {
 public:
  /// `table` is every flow now; `closed` those that ended since the last call, `lost` more that
  /// found no room. The first answer, and one after a loss, starts anew with the whole table.
  [[nodiscard]] contract::FlowEvents next(std::vector<contract::FlowInfo> table,
                                          std::vector<contract::FlowInfo> closed,
                                          std::uint64_t lost);

 private:
  struct Seen {
    std::uint64_t upload = 0;
    std::uint64_t download = 0;
    std::uint64_t rest = 0;  ///< hash of everything but bytes
    std::uint32_t turn = 0;  ///< last seen in
    bool missing = false;    ///< gone from the table without a closing record, for one turn
  };
  void add(contract::FlowInfo& flow, contract::FlowEvents& out);
  [[nodiscard]] bool forget_vanished();

  std::unordered_map<std::uint64_t, Seen> seen_;
  std::uint32_t turn_ = 0;
};

}  // namespace sluice::control
