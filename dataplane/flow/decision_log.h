// flow/decision_log.h - `log-level: debug`: one line for each flow that is decided.
//
//   id=7 tcp 192.168.1.2:4000 -> a.test:443 rule=3 (DOMAIN-SUFFIX,test) via=Proxy > hk-03
#pragma once

#include <string>

#include "dataplane/flow/flow_table.h"
#include "proto/common/log.h"

namespace sluice::flow {

/// What stands behind "id=7 ".
[[nodiscard]] std::string decision_text(const contract::FlowInfo& info);

/// `flow.info` has its route. Costs the test of the level while that is off.
inline void log_decision(const Flow& flow) {
  SLUICE_LOG(debug, "flow", "id=%llu %s", static_cast<unsigned long long>(flow.id()),
             decision_text(flow.info).c_str());
}

}  // namespace sluice::flow
