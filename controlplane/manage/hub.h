// manage/hub.h - what all calls of one server share, and how they end together.
//
//   completion thread ── Completion::complete ──> a Call ── Service ──┐
//   any thread ────────── Reply, Watcher::push ──> the same Call <────┘
//
// One mutex guards the state of every call: management is rare and short, and one lock is easy to
// reason about. gRPC operations start under it (they never call back), services are called without.
#pragma once

#include <grpcpp/grpcpp.h>

#include <cstddef>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "controlplane/manage/answer.h"
#include "controlplane/manage/service.h"
#include "sluice/v1/management.grpc.pb.h"

namespace sluice::manage {

namespace pb = ::sluice::v1::management;
using AsyncService = pb::Management::AsyncService;

/// What a completion queue gives back: one outstanding operation.
class Completion {
 public:
  virtual void complete(bool ok) = 0;

 protected:
  ~Completion() = default;
};

/// A call that waits for a client, is being answered, or streams.
class Call {
 public:
  Call() = default;
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;
  virtual ~Call() = default;
  /// The server stops: answer now. Under the hub's mutex.
  virtual void stop_locked() = 0;
};

[[nodiscard]] grpc::Status to_grpc(const Fault& fault);
[[nodiscard]] inline Fault stopping() {
  return {FaultKind::unavailable, "the control plane is stopping; try again in a moment"};
}

class Hub {
 public:
  Hub(Service& target, AsyncService& async_service, grpc::ServerCompletionQueue& completions)
      : service(target), async(async_service), queue(completions) {}

  Service& service;
  AsyncService& async;
  grpc::ServerCompletionQueue& queue;
  std::mutex mutex;

  // All below: under the mutex.
  bool open = true;        ///< new calls are served
  bool queue_open = true;  ///< operations may still be started
  std::size_t watchers = 0;

  void keep_locked(std::shared_ptr<Call> call) { calls_.emplace(call.get(), std::move(call)); }
  /// The caller may die with it: nothing of the call may be touched afterwards.
  [[nodiscard]] std::shared_ptr<Call> drop_locked(Call* call) {
    const auto node = calls_.extract(call);
    return node ? node.mapped() : nullptr;
  }
  void close_locked() {
    open = false;
    for (const auto& [key, call] : calls_) call->stop_locked();
  }
  /// After the completion queue is drained: nothing of gRPC refers to the calls any more.
  void clear_locked() { calls_.clear(); }

 private:
  std::unordered_map<Call*, std::shared_ptr<Call>> calls_;
};

}  // namespace sluice::manage
