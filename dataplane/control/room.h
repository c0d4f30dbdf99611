// control/room.h - what every call of the server reaches: queue, service, data plane.
#pragma once

#include <functional>
#include <memory>
#include <tuple>
#include <utility>

#include "dataplane/control/core.h"
#include "proto/rpc/queue.h"
#include "proto/rpc/server_call.h"
#include "sluice/v1/dataplane.grpc.pb.h"

namespace sluice::control {

/// Owner: ControlServer; outlives all calls. Thread: the control thread.
struct Room {
  Core& core;
  std::shared_ptr<rpc::Queue> queue;
  v1::DataPlane::AsyncService service;
  grpc::ServerCompletionQueue* completions = nullptr;  ///< the same queue, as gRPC wants it

  /// A callback for Core: from whatever thread it is called, `run` follows on the control thread.
  /// After the server is gone nothing follows. `run` must hold calls weakly.
  template <class... Args, class Run>
  Done<Args...> on_control_thread(Run run) const {
    return [queue = queue, run = std::move(run)](Args... args) {
      queue->post([run, values = std::make_tuple(std::move(args)...)]() mutable {
        std::apply(run, std::move(values));
      });
    };
  }
};

[[nodiscard]] inline grpc::Status invalid(const std::string& sentence) {
  return {grpc::StatusCode::INVALID_ARGUMENT, sentence};
}

}  // namespace sluice::control
