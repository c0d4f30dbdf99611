#include "dataplane/control/memory_service.h"

#include "proto/wire/memory.h"

namespace sluice::control {

void MemoryService::serve() {
  rpc::serve(room_->completions, room_->service, &v1::DataPlane::AsyncService::RequestReadMemory,
             [this](const std::shared_ptr<Call>& call) { on_call(call); });
}

void MemoryService::on_call(const std::shared_ptr<Call>& call) {
  room_->core.read_memory(room_->on_control_thread<contract::MemoryReport>(
      [weak = std::weak_ptr(call)](const contract::MemoryReport& report) {
        const auto alive = weak.lock();
        if (!alive) return;
        v1::MemoryReport message;
        wire::encode(report, &message);
        alive->reply(message);
      }));
}

}  // namespace sluice::control
