// manage/unary_call.h - one request, one answer.
//
//   asked ──(a client calls)──> handling ──(Reply, or the server stops)──> finishing ──> gone
#pragma once

#include <memory>
#include <utility>

#include "controlplane/manage/hub.h"

namespace sluice::manage {

template <class Request, class Response>
class UnaryCall final : public Call,
                        public Completion,
                        public std::enable_shared_from_this<UnaryCall<Request, Response>> {
 public:
  using Responder = grpc::ServerAsyncResponseWriter<Response>;
  using Arm = void (AsyncService::*)(grpc::ServerContext*, Request*, Responder*,
                                     grpc::CompletionQueue*, grpc::ServerCompletionQueue*, void*);
  using Handle = void (*)(Service&, const Request&, Reply<Response>);

  UnaryCall(std::shared_ptr<Hub> hub, Arm arm, Handle handle)
      : hub_(std::move(hub)), arm_(arm), handle_(handle) {}

  /// Waits for one client from now on; each call that comes in makes its successor wait.
  static void serve_locked(const std::shared_ptr<Hub>& hub, Arm arm, Handle handle) {
    const auto call = std::make_shared<UnaryCall>(hub, arm, handle);
    hub->keep_locked(call);
    Wire& wire = *call->wire_;
    (hub->async.*arm)(&wire.context, &wire.request, &wire.responder, &hub->queue, &hub->queue,
                      static_cast<Completion*>(call.get()));
  }

  void complete(bool ok) override {
    {
      std::unique_lock lock(hub_->mutex);
      if (state_ == State::finishing || !ok) {
        state_ = State::gone;
        wire_.reset();
        const std::shared_ptr<Call> last = hub_->drop_locked(this);
        lock.unlock();
        return;
      }
      state_ = State::handling;
      if (!hub_->open) {
        stop_locked();
        return;
      }
      serve_locked(hub_, arm_, handle_);
    }
    handle_(hub_->service, wire_->request,
            Reply<Response>([self = this->shared_from_this()](Answer<Response> answer) {
              const std::lock_guard lock(self->hub_->mutex);
              self->answer_locked(std::move(answer));
            }));
  }

  void stop_locked() override { answer_locked(std::unexpected(stopping())); }

 private:
  enum class State : std::uint8_t { asked, handling, finishing, gone };
  struct Wire {
    grpc::ServerContext context;
    Request request;
    Responder responder{&context};
  };

  void answer_locked(Answer<Response> answer) {
    if (state_ != State::handling || !hub_->queue_open) return;
    state_ = State::finishing;
    auto* tag = static_cast<Completion*>(this);
    if (answer)
      wire_->responder.Finish(*answer, grpc::Status::OK, tag);
    else
      wire_->responder.FinishWithError(to_grpc(answer.error()), tag);
  }

  std::shared_ptr<Hub> hub_;
  Arm arm_;
  Handle handle_;
  State state_ = State::asked;
  std::unique_ptr<Wire> wire_ = std::make_unique<Wire>();  ///< gRPC's part; ends before the server
};

}  // namespace sluice::manage
