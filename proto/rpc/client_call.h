// rpc/client_call.h - the client's side of calls, one class per shape, on one queue.
//
// A call is shared: its pending operations hold it. `cancel()` may come at any time; every handler
// still runs, with ok = false or an error status. Per direction one operation at a time.
//
// Thread: the queue's.
#pragma once

#include <grpc/support/time.h>
#include <grpcpp/client_context.h>
#include <grpcpp/support/async_stream.h>
#include <grpcpp/support/async_unary_call.h>

#include <cassert>
#include <memory>
#include <utility>

#include "proto/rpc/queue.h"

namespace sluice::rpc {

class ClientCall : public std::enable_shared_from_this<ClientCall> {
 public:
  ClientCall() = default;
  ClientCall(const ClientCall&) = delete;
  ClientCall& operator=(const ClientCall&) = delete;
  virtual ~ClientCall() = default;

  grpc::ClientContext context;
  grpc::Status status;

  void set_deadline(Millis span) {
    context.set_deadline(
        gpr_time_add(gpr_now(GPR_CLOCK_MONOTONIC), gpr_time_from_millis(span.count, GPR_TIMESPAN)));
  }
  void cancel() { context.TryCancel(); }
};

template <class Reply>
class ClientUnary final : public ClientCall {
 public:
  Reply reply;
  std::unique_ptr<grpc::ClientAsyncResponseReader<Reply>> reader;  ///< from Stub::Async...

  /// `done` runs once, with status and reply set.
  void finish(Closure done) {
    reader->Finish(&reply, &status,
                   finish_.arm(shared_from_this(), [done = std::move(done)](bool) { done(); }));
  }

 private:
  Op finish_;
};

/// We send many, one reply ends it.
template <class Request, class Reply>
class ClientWriter final : public ClientCall {
 public:
  Reply reply;
  std::unique_ptr<grpc::ClientAsyncWriter<Request>> stream;  ///< from Stub::PrepareAsync...

  void start(std::function<void(bool)> next) {
    stream->StartCall(start_.arm(shared_from_this(), std::move(next)));
  }
  void write(const Request& message, std::function<void(bool)> next) {
    stream->Write(message, start_.arm(shared_from_this(), std::move(next)));
  }
  void writes_done(std::function<void(bool)> next) {
    stream->WritesDone(start_.arm(shared_from_this(), std::move(next)));
  }
  void finish(Closure done) {
    stream->Finish(&status,
                   finish_.arm(shared_from_this(), [done = std::move(done)](bool) { done(); }));
  }

 private:
  Op start_;
  Op finish_;
};

/// One request, many replies.
template <class Reply>
class ClientReader final : public ClientCall {
 public:
  Reply part;                                              ///< the last one read
  std::unique_ptr<grpc::ClientAsyncReader<Reply>> stream;  ///< from Stub::PrepareAsync...

  void start(std::function<void(bool)> next) {
    stream->StartCall(read_.arm(shared_from_this(), std::move(next)));
  }
  void read(std::function<void(bool)> next) {
    stream->Read(&part, read_.arm(shared_from_this(), std::move(next)));
  }
  void finish(Closure done) {
    stream->Finish(&status,
                   finish_.arm(shared_from_this(), [done = std::move(done)](bool) { done(); }));
  }

 private:
  Op read_;
  Op finish_;
};

/// Both sides send many.
template <class Request, class Reply>
class ClientBidi final : public ClientCall {
 public:
  Reply part;  ///< the last one read
  std::unique_ptr<grpc::ClientAsyncReaderWriter<Request, Reply>> stream;

  [[nodiscard]] bool writing() const noexcept { return write_.pending(); }
  void start(std::function<void(bool)> next) {
    stream->StartCall(write_.arm(shared_from_this(), std::move(next)));
  }
  void read(std::function<void(bool)> next) {
    assert(!read_.pending());
    stream->Read(&part, read_.arm(shared_from_this(), std::move(next)));
  }
  void write(const Request& message, std::function<void(bool)> next) {
    assert(!writing());
    stream->Write(message, write_.arm(shared_from_this(), std::move(next)));
  }
  void finish(Closure done) {
    stream->Finish(&status,
                   finish_.arm(shared_from_this(), [done = std::move(done)](bool) { done(); }));
  }

 private:
  Op read_;
  Op write_;
  Op finish_;
};

}  // namespace sluice::rpc
