// manage/stream_call.h - one request, many messages, until the reader leaves or the service ends.
//
//   asked ──> open ──(end, server stops)──> finishing ──┐
//               └──────(reader leaves)──────────────────┴──> over
//
// At most one write is under way (gRPC's rule); meanwhile values wait in the queue, which is
// bounded and decides what gives way. The call dies when gRPC has said "done" and returned the last
// operation, and the service has let go.
#pragma once

#include <memory>
#include <optional>
#include <utility>

#include "controlplane/manage/hub.h"
#include "controlplane/manage/manage_limits.h"

namespace sluice::manage {

template <class Request, class Message, class Value, class Queue>
class StreamCall final
    : public Call,
      public Watcher<Value>,
      public std::enable_shared_from_this<StreamCall<Request, Message, Value, Queue>> {
 public:
  using Writer = grpc::ServerAsyncWriter<Message>;
  using Arm = void (AsyncService::*)(grpc::ServerContext*, Request*, Writer*,
                                     grpc::CompletionQueue*, grpc::ServerCompletionQueue*, void*);
  using Handle = void (*)(Service&, const Request&, WatcherPtr<Value>);
  using Encode = Message (*)(const typename Queue::Batch&);

  StreamCall(std::shared_ptr<Hub> hub, Arm arm, Handle handle, Encode encode)
      : hub_(std::move(hub)), arm_(arm), handle_(handle), encode_(encode) {}

  static void serve_locked(const std::shared_ptr<Hub>& hub, Arm arm, Handle handle, Encode encode) {
    const auto call = std::make_shared<StreamCall>(hub, arm, handle, encode);
    hub->keep_locked(call);
    Wire& wire = *call->wire_;
    wire.context.AsyncNotifyWhenDone(static_cast<Completion*>(&call->done_));
    (hub->async.*arm)(&wire.context, &wire.request, &wire.writer, &hub->queue, &hub->queue,
                      static_cast<Completion*>(&call->operation_));
  }

  bool push(Value value) override {
    const std::lock_guard lock(hub_->mutex);
    if (state_ != State::open || ending_) return false;
    queue_.push(std::move(value));
    pump_locked();
    return true;
  }

  void end() override {
    const std::lock_guard lock(hub_->mutex);
    end_locked(grpc::Status::OK);
  }

  void end(Fault fault) override {
    const std::lock_guard lock(hub_->mutex);
    end_locked(to_grpc(fault));
  }

  void on_over(std::move_only_function<void()> callback) override {
    {
      const std::lock_guard lock(hub_->mutex);
      if (state_ != State::over) {
        on_over_ = std::move(callback);
        return;
      }
    }
    callback();
  }

  void stop_locked() override { end_locked(to_grpc(stopping())); }

 private:
  enum class State : std::uint8_t { asked, open, finishing, over };
  struct Wire {
    grpc::ServerContext context;
    Request request;
    Writer writer{&context};
  };
  /// The start, a write or the finish came back.
  struct Operation final : Completion {
    explicit Operation(StreamCall& owner) : call(owner) {}
    void complete(bool ok) override { call.operation_returned(ok); }
    StreamCall& call;
  };
  /// The reader left, or the finish reached it.
  struct Done final : Completion {
    explicit Done(StreamCall& owner) : call(owner) {}
    void complete(bool) override { call.done_arrived(); }
    StreamCall& call;
  };

  void operation_returned(bool ok) {
    std::unique_lock lock(hub_->mutex);
    if (state_ == State::asked) {
      // Not ok: the server stops and this call never began; "done" will not come, the hub keeps us.
      if (ok) begin(lock);
      return;
    }
    busy_ = false;
    if (ok) pump_locked();
    leave_if_over(lock);
  }

  /// A client calls.
  void begin(std::unique_lock<std::mutex>& lock) {
    state_ = State::open;
    ++hub_->watchers;
    if (!hub_->open) {
      stop_locked();
      return;
    }
    serve_locked(hub_, arm_, handle_, encode_);
    if (hub_->watchers > kMaxWatchers) {
      end_locked(to_grpc({FaultKind::busy, "too many watchers; close one and try again"}));
      return;
    }
    lock.unlock();
    // "done" comes on this thread, so the request stays while the service looks at it.
    handle_(hub_->service, wire_->request, this->shared_from_this());
  }

  void done_arrived() {
    std::move_only_function<void()> over;
    {
      std::unique_lock lock(hub_->mutex);
      state_ = State::over;
      --hub_->watchers;
      over = std::exchange(on_over_, nullptr);
      const auto self = this->shared_from_this();
      leave_if_over(lock);
      if (lock.owns_lock()) lock.unlock();
    }
    if (over) over();
  }

  void end_locked(const grpc::Status& status) {
    if (state_ != State::open || ending_) return;
    ending_ = status;
    pump_locked();
  }

  void pump_locked() {
    if (busy_ || state_ != State::open || !hub_->queue_open) return;
    auto* tag = static_cast<Completion*>(&operation_);
    if (!queue_.empty()) {
      busy_ = true;
      wire_->writer.Write(encode_(queue_.take()), tag);
    } else if (ending_) {
      busy_ = true;
      state_ = State::finishing;
      wire_->writer.Finish(*ending_, tag);
    }
  }

  /// Unlocks when it leaves: the call may end with the pointer that the hub gives back.
  void leave_if_over(std::unique_lock<std::mutex>& lock) {
    if (state_ != State::over || busy_) return;
    wire_.reset();
    const std::shared_ptr<Hub> hub = hub_;
    const std::shared_ptr<Call> last = hub->drop_locked(this);
    lock.unlock();
  }

  std::shared_ptr<Hub> hub_;
  Arm arm_;
  Handle handle_;
  Encode encode_;
  State state_ = State::asked;
  bool busy_ = false;  ///< a write or the finish is under way
  Queue queue_;
  std::optional<grpc::Status> ending_;  ///< end with this once the queue is empty
  std::move_only_function<void()> on_over_;
  Operation operation_{*this};
  Done done_{*this};
  std::unique_ptr<Wire> wire_ = std::make_unique<Wire>();  ///< gRPC's part; ends before the server
};

}  // namespace sluice::manage
