// rpc/server_call.h - the calls of an asynchronous gRPC service, one class per shape.
//
//   serve(queue, service, &Service::RequestHello, on_call)
//     -> on_call(shared_ptr<Unary<Request, Reply>>) for each call that arrives
//
// A call is shared: its own pending operations hold it, and whoever still wants to answer. It is
// gone when neither does. `cancelled()` becomes true when the client ended it or went away; on a
// call that is over every operation is a no-op, so nothing starts on a queue that is shut down. Per
// direction one operation at a time (gRPC aborts the process otherwise): asserted.
//
// Thread: the queue's.
#pragma once

#include <grpcpp/server_context.h>
#include <grpcpp/support/async_stream.h>
#include <grpcpp/support/async_unary_call.h>

#include <cassert>
#include <memory>
#include <utility>

#include "proto/rpc/queue.h"

namespace sluice::rpc {

/// What all shapes share: the context and the news that the call is over.
class ServerCall : public std::enable_shared_from_this<ServerCall> {
 public:
  ServerCall() = default;
  ServerCall(const ServerCall&) = delete;
  ServerCall& operator=(const ServerCall&) = delete;
  virtual ~ServerCall() = default;

  grpc::ServerContext context;

  /// The client cancelled, or its connection is gone.
  [[nodiscard]] bool cancelled() const noexcept { return cancelled_; }
  /// Set from the call's first handler; runs once, when the call is over in any way.
  void on_over(Closure closure) { over_ = std::move(closure); }
  /// Ends the call from our side when no operation can any more.
  void cancel() { context.TryCancel(); }

  /// Asks gRPC to say when the call is over. Before the request for a call is made.
  void watch_end() {
    context.AsyncNotifyWhenDone(end_.arm(shared_from_this(), [this](bool) {
      is_over_ = true;
      cancelled_ = began_ && context.IsCancelled();
      if (const Closure over = std::exchange(over_, nullptr)) over();
    }));
  }
  /// The request never became a call: gRPC then never reports its end, so the Op must let go.
  void forget_end() { end_.complete(false); }
  void begin() noexcept { began_ = true; }

 protected:
  [[nodiscard]] bool over() const noexcept { return is_over_; }

 private:
  Op end_;
  Closure over_;
  bool began_ = false;
  bool is_over_ = false;
  bool cancelled_ = false;
};

template <class Request, class Reply>
class Unary final : public ServerCall {
 public:
  Unary() : responder(&context) {}
  Request request;
  grpc::ServerAsyncResponseWriter<Reply> responder;

  void reply(const Reply& message) {
    if (std::exchange(answered_, true) || over()) return;
    responder.Finish(message, grpc::Status::OK, finish_.arm(shared_from_this(), [](bool) {}));
  }
  void fail(const grpc::Status& status) {
    if (std::exchange(answered_, true) || over()) return;
    responder.FinishWithError(status, finish_.arm(shared_from_this(), [](bool) {}));
  }

 private:
  Op finish_;
  bool answered_ = false;
};

/// The client sends many, one reply ends it.
template <class Request, class Reply>
class ClientStream final : public ServerCall {
 public:
  ClientStream() : reader(&context) {}
  Request part;  ///< the last one read
  grpc::ServerAsyncReader<Reply, Request> reader;

  /// Reads into `part`; `next(false)` after the last one.
  void read(std::function<void(bool)> next) {
    if (over()) return next(false);
    assert(!read_.pending());
    reader.Read(&part, read_.arm(shared_from_this(), std::move(next)));
  }
  void reply(const Reply& message) {
    if (std::exchange(answered_, true) || over()) return;
    reader.Finish(message, grpc::Status::OK, finish_.arm(shared_from_this(), [](bool) {}));
  }
  void fail(const grpc::Status& status) {
    if (std::exchange(answered_, true) || over()) return;
    reader.FinishWithError(status, finish_.arm(shared_from_this(), [](bool) {}));
  }

 private:
  Op read_;
  Op finish_;
  bool answered_ = false;
};

/// One request, many replies.
template <class Request, class Reply>
class ServerStream final : public ServerCall {
 public:
  ServerStream() : writer(&context) {}
  Request request;
  grpc::ServerAsyncWriter<Reply> writer;

  [[nodiscard]] bool writing() const noexcept { return write_.pending(); }
  [[nodiscard]] bool ended() const noexcept { return ended_; }
  /// `next(false)`: the client is gone.
  void write(const Reply& message, std::function<void(bool)> next) {
    if (over()) return;
    assert(!writing() && !ended_);
    writer.Write(message, write_.arm(shared_from_this(), std::move(next)));
  }
  /// Not while writing.
  void finish(const grpc::Status& status) {
    if (std::exchange(ended_, true) || over()) return;
    writer.Finish(status, finish_.arm(shared_from_this(), [](bool) {}));
  }

 private:
  Op write_;
  Op finish_;
  bool ended_ = false;
};

/// Both sides send many.
template <class Request, class Reply>
class Bidi final : public ServerCall {
 public:
  Bidi() : stream(&context) {}
  Request part;  ///< the last one read
  grpc::ServerAsyncReaderWriter<Reply, Request> stream;

  [[nodiscard]] bool writing() const noexcept { return write_.pending(); }
  [[nodiscard]] bool ended() const noexcept { return ended_; }
  void read(std::function<void(bool)> next) {
    if (over()) return next(false);
    assert(!read_.pending());
    stream.Read(&part, read_.arm(shared_from_this(), std::move(next)));
  }
  void write(const Reply& message, std::function<void(bool)> next) {
    if (over()) return;
    assert(!writing() && !ended_);
    stream.Write(message, write_.arm(shared_from_this(), std::move(next)));
  }
  /// Ends the call; a read that waits comes back with false. While a write is under way the call is
  /// cancelled instead: the client sees CANCELLED in place of `status`.
  void finish(const grpc::Status& status) {
    if (std::exchange(ended_, true) || over()) return;
    if (writing()) {
      context.TryCancel();
      return;
    }
    stream.Finish(status, finish_.arm(shared_from_this(), [](bool) {}));
  }

 private:
  Op read_;
  Op write_;
  Op finish_;
  bool ended_ = false;
};

namespace detail {

/// One request for a call, kept by its own Op until a call arrives, then followed by the next.
/// `ask(call, tag)` makes the request.
template <class Call, class Ask, class OnCall>
void wait_for_call(Ask ask, OnCall on_call) {
  struct Wait {
    std::shared_ptr<Call> call = std::make_shared<Call>();
    Op op;
  };
  auto wait = std::make_shared<Wait>();
  wait->call->watch_end();
  void* tag = wait->op.arm(wait, [call = wait->call, ask, on_call](bool ok) {
    if (!ok) {
      call->forget_end();
      return;
    }
    call->begin();
    wait_for_call<Call>(ask, on_call);
    on_call(call);
  });
  ask(*wait->call, tag);
}

}  // namespace detail

/// `service` outlives the queue's run. `Base` is the generated base that has the Request function.
template <class Service, class Base, class Request, class Reply, class OnCall>
void serve(grpc::ServerCompletionQueue* queue, Service& service,
           void (Base::*method)(grpc::ServerContext*, Request*,
                                grpc::ServerAsyncResponseWriter<Reply>*, grpc::CompletionQueue*,
                                grpc::ServerCompletionQueue*, void*),
           OnCall on_call) {
  detail::wait_for_call<Unary<Request, Reply>>(
      [queue, &service, method](auto& call, void* tag) {
        (service.*method)(&call.context, &call.request, &call.responder, queue, queue, tag);
      },
      std::move(on_call));
}

template <class Service, class Base, class Request, class Reply, class OnCall>
void serve(grpc::ServerCompletionQueue* queue, Service& service,
           void (Base::*method)(grpc::ServerContext*, grpc::ServerAsyncReader<Reply, Request>*,
                                grpc::CompletionQueue*, grpc::ServerCompletionQueue*, void*),
           OnCall on_call) {
  detail::wait_for_call<ClientStream<Request, Reply>>(
      [queue, &service, method](auto& call, void* tag) {
        (service.*method)(&call.context, &call.reader, queue, queue, tag);
      },
      std::move(on_call));
}

template <class Service, class Base, class Request, class Reply, class OnCall>
void serve(grpc::ServerCompletionQueue* queue, Service& service,
           void (Base::*method)(grpc::ServerContext*, Request*, grpc::ServerAsyncWriter<Reply>*,
                                grpc::CompletionQueue*, grpc::ServerCompletionQueue*, void*),
           OnCall on_call) {
  detail::wait_for_call<ServerStream<Request, Reply>>(
      [queue, &service, method](auto& call, void* tag) {
        (service.*method)(&call.context, &call.request, &call.writer, queue, queue, tag);
      },
      std::move(on_call));
}

template <class Service, class Base, class Request, class Reply, class OnCall>
void serve(grpc::ServerCompletionQueue* queue, Service& service,
           void (Base::*method)(grpc::ServerContext*,
                                grpc::ServerAsyncReaderWriter<Reply, Request>*,
                                grpc::CompletionQueue*, grpc::ServerCompletionQueue*, void*),
           OnCall on_call) {
  detail::wait_for_call<Bidi<Request, Reply>>(
      [queue, &service, method](auto& call, void* tag) {
        (service.*method)(&call.context, &call.stream, queue, queue, tag);
      },
      std::move(on_call));
}

}  // namespace sluice::rpc
