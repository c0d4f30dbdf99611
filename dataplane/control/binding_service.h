// control/binding_service.h - BindNames: batch -> log -> workers -> acknowledgement.
//
// One batch at a time, whichever stream it came on; the newest stream counts. A batch is in the log
// before the workers see it: a name that a worker knows is never forgotten by a crash.
//
// Thread: the control thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "dataplane/control/room.h"
#include "dataplane/recovery/binding_log.h"
#include "proto/wire/names.h"

namespace sluice::control {

class BindingService {
 public:
  explicit BindingService(Room& room) : room_(&room) {}
  /// Hands what was found at start to the workers, then `done`.
  void replay(contract::BindingBatch bindings, std::optional<recovery::BindingLog> log,
              rpc::Closure done);
  void serve();
  [[nodiscard]] std::uint64_t last_number() const noexcept { return last_number_; }

 private:
  using Call = rpc::Bidi<v1::BindingPart, v1::BindingAck>;
  void on_call(const std::shared_ptr<Call>& call);
  void read(const std::shared_ptr<Call>& call);
  void on_part(const std::shared_ptr<Call>& call);
  void bind_next();
  [[nodiscard]] grpc::Status check_and_log(const contract::BindingBatch& batch);
  void acknowledge(std::uint64_t number);
  void drop(const std::shared_ptr<Call>& call, const grpc::Status& status);

  Room* room_;
  std::optional<recovery::BindingLog> log_;
  std::uint64_t last_number_ = 0;  ///< held by all workers and logged
  std::shared_ptr<Call> current_;
  wire::BatchAssembly assembly_;                ///< of `current_`
  std::optional<contract::BindingBatch> next_;  ///< whole, of `current_`
  bool busy_ = false;                           ///< the workers are asked
};

}  // namespace sluice::control
