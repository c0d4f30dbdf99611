// control/rule_service.h - ReadRules and SetRules: the lines of the running snapshot, counted and
// switched.
//
// Thread: the control thread.
#pragma once

#include <memory>

#include "dataplane/control/room.h"

namespace sluice::control {

class RuleService {
 public:
  explicit RuleService(Room& room) : room_(&room) {}
  void serve();

 private:
  using ReadCall = rpc::ServerStream<v1::ReadRulesRequest, v1::RulePage>;
  using SetCall = rpc::Unary<v1::SetRulesRequest, v1::Verdict>;
  void on_read(const std::shared_ptr<ReadCall>& call);
  void on_set(const std::shared_ptr<SetCall>& call);

  Room* room_;
};

}  // namespace sluice::control
