// control/memory_service.h - ReadMemory: what every pool and cache holds.
//
// Thread: the control thread.
#pragma once

#include <memory>

#include "dataplane/control/room.h"

namespace sluice::control {

class MemoryService {
 public:
  explicit MemoryService(Room& room) : room_(&room) {}
  void serve();

 private:
  using Call = rpc::Unary<v1::ReadMemoryRequest, v1::MemoryReport>;
  void on_call(const std::shared_ptr<Call>& call);

  Room* room_;
};

}  // namespace sluice::control
