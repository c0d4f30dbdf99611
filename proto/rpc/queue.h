// rpc/queue.h - one completion queue, one thread, and everything that runs there.
//
//   completions of gRPC -+
//   post() (any thread) -+--> run(): one at a time, on one thread
//   after() timers ------+
//
// Why the completion-queue API: one thread of ours where the others keep eight to ten, and half
// their time per message of a stream. Timers are our own heap under AsyncNext's deadline; gRPC's
// Alarm is used for nothing but waking the thread.
//
// Thread: post(), shut_down(): any. Everything else: the thread of run().
#pragma once

#include <grpcpp/completion_queue.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "proto/common/clock.h"

namespace grpc {
class Alarm;
}

namespace sluice::rpc {

using Closure = std::function<void()>;

/// What gRPC hands back for a finished operation. Never deleted through this type.
class Tag {
 public:
  /// `ok` as gRPC means it: false when a read met the end, a write or a request failed.
  virtual void complete(bool ok) = 0;

 protected:
  ~Tag() = default;
};

/// One operation that can be under way once at a time. While it is, it keeps its call alive, so a
/// call lives exactly as long as gRPC may still touch it.
class Op final : public Tag {
 public:
  /// The tag for gRPC. `keep` owns this Op. The handler runs once.
  void* arm(std::shared_ptr<void> keep, std::function<void(bool)> handler);
  void complete(bool ok) override;
  [[nodiscard]] bool pending() const noexcept { return keep_ != nullptr; }

 private:
  std::shared_ptr<void> keep_;
  std::function<void(bool)> handler_;
};

class Queue {
 public:
  /// A server's queue comes from its builder; a client makes its own.
  explicit Queue(std::unique_ptr<grpc::CompletionQueue> queue);
  ~Queue();
  Queue(const Queue&) = delete;
  Queue& operator=(const Queue&) = delete;

  /// Runs until shut_down() and every operation came back. Timers and closures left over then are
  /// dropped unrun.
  void run();
  /// Runs `closure` on the thread of run(). False, and it is dropped, once shut down.
  bool post(Closure closure);
  /// No post succeeds from here on; run() returns when all operations are back.
  void shut_down();

  using TimerId = std::uint64_t;
  /// Runs `closure` once, `span` from now. Ids are never 0 and never used again.
  TimerId after(Millis span, Closure closure);
  /// Unknown and 0: nothing happens.
  void cancel(TimerId id);

  [[nodiscard]] grpc::CompletionQueue& get() noexcept { return *queue_; }

 private:
  /// The alarm's completion. Holds nothing that changes, so any thread may set the alarm.
  class Woken final : public Tag {
   public:
    explicit Woken(Queue& queue) noexcept : queue_(&queue) {}
    void complete(bool) override { queue_->run_posted(); }

   private:
    Queue* queue_;
  };

  void run_posted();
  void run_due();
  [[nodiscard]] Millis until_due() const;
  void wake();  // with mutex_ held

  std::unique_ptr<grpc::CompletionQueue> queue_;
  std::map<std::pair<Moment, TimerId>, Closure> timers_;
  std::map<TimerId, Moment> deadlines_;
  TimerId last_timer_ = 0;
  Woken woken_{*this};

  std::mutex mutex_;  // guards what follows
  std::vector<Closure> posted_;
  std::unique_ptr<grpc::Alarm> alarm_;
  bool waking_ = false;
  bool closed_ = false;
};

}  // namespace sluice::rpc
